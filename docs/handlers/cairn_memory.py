"""Anthropic's memory tool over Cairn: `client.beta.messages.run_tools(..., tools=[CairnMemoryTool()])`."""

import json
import os
from urllib.request import Request, urlopen

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError


class CairnMemoryTool(BetaAbstractMemoryTool):
    def __init__(self, url=None, key=None, workspace=None):
        super().__init__()
        self.address = f"{url or os.environ['CAIRN_URL']}/v1/workspaces/{workspace or os.environ['CAIRN_WORKSPACE']}/memory-tool"
        self.headers = {"X-Api-Key": key or os.environ["CAIRN_KEY"], "Content-Type": "application/json"}

    def call(self, input):
        with urlopen(Request(self.address, json.dumps(input).encode(), self.headers), timeout=60) as answer:
            result = json.load(answer)
        if result["is_error"]:
            raise ToolError(result["content"])
        return result["content"]

    def execute(self, command):
        return self.call(command.to_dict())

    view = create = str_replace = insert = delete = rename = execute
