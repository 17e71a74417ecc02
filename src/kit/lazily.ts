/**
 * A module that is loaded at its first use, so that a process that never renders a PDF or contacts a store does not
 * load the code for it. `load` is the caller's `require`.
 */
export function lazily<Module>(load: NodeJS.Require, name: string): () => Module {
  let loaded: { module: Module } | undefined;
  return () => (loaded ??= { module: load(name) as Module }).module;
}
