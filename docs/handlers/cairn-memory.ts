// Anthropic's memory tool over Cairn: `client.beta.messages.toolRunner({ …, tools: [cairnMemoryTool()] })`.
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";

export function cairnMemoryTool({ url = process.env.CAIRN_URL, key = process.env.CAIRN_KEY!, workspace = process.env.CAIRN_WORKSPACE } = {}) {
  const ask = async (command: object): Promise<string> => {
    const headers = { "X-Api-Key": key, "Content-Type": "application/json" };
    const answer = await fetch(`${url}/v1/workspaces/${workspace}/memory-tool`, { method: "POST", headers, body: JSON.stringify(command) });
    if (!answer.ok) throw new Error(`Cairn: ${answer.status} ${await answer.text()}`);
    const { content, is_error } = await answer.json();
    if (is_error) throw new ToolError(content);
    return content;
  };
  return betaMemoryTool({ view: ask, create: ask, str_replace: ask, insert: ask, delete: ask, rename: ask });
}
