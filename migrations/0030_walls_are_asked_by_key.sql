-- What belongs to a memory is seen by whoever sees the memory. Asked with `exists`, the planner may choose to read the whole
-- workspace first and keep it in a table of its own, for every page anew; a subquery that gives a value is looked up by key.
do $$
declare
    t text;
begin
    foreach t in array array['memory_tags', 'anchors', 'memory_vectors', 'imported_versions'] loop
        execute format(
            'alter policy scoped on %I using (workspace_id = (select scope_workspace())
                and (select true from memories m where m.workspace_id = %I.workspace_id and m.id = %I.memory_id))', t, t, t);
    end loop;
end $$;
alter policy scoped on code_verdicts
    using (workspace_id = (select scope_workspace())
        and (select true from memories m where m.workspace_id = code_verdicts.workspace_id and m.id = code_verdicts.memory_id))
    with check (workspace_id = (select scope_workspace())
        and (select true from memories m where m.workspace_id = code_verdicts.workspace_id and m.id = code_verdicts.memory_id));
alter policy scoped on proposals
    using (workspace_id = (select scope_workspace())
        and ((select scope_project()) is null or project = (select scope_project()))
        and (select true from memories m where m.workspace_id = proposals.workspace_id and m.id = proposals.memory_id))
    with check (workspace_id = (select scope_workspace())
        and ((select scope_project()) is null or project = (select scope_project()))
        and (select true from memories m where m.workspace_id = proposals.workspace_id and m.id = proposals.memory_id));
alter policy scoped on conflicts
    using (workspace_id = (select scope_workspace())
        and (select true from memories m where m.workspace_id = conflicts.workspace_id and m.id = conflicts.a)
        and (select true from memories m where m.workspace_id = conflicts.workspace_id and m.id = conflicts.b))
    with check (workspace_id = (select scope_workspace())
        and (select true from memories m where m.workspace_id = conflicts.workspace_id and m.id = conflicts.a)
        and (select true from memories m where m.workspace_id = conflicts.workspace_id and m.id = conflicts.b));
