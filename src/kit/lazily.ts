/**
 * A module that is loaded when something of it is first needed: a process that never renders a PDF or asks a store does
 * not carry what that takes. `load` is the caller's `require`.
 */
export function lazily<Module>(load: NodeJS.Require, name: string): () => Module {
  let loaded: { module: Module } | undefined;
  return () => (loaded ??= { module: load(name) as Module }).module;
}
