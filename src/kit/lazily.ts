/** Makes a value at its first use, and keeps it. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Makes the value of each key at its first use, and keeps it. */
export function onceForEach<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, { value: Value }>();
  return (key) => {
    const known = values.get(key) ?? { value: make(key) };
    values.set(key, known);
    return known.value;
  };
}

/**
 * A module that is loaded at its first use, so that a process that never renders a PDF or contacts a store does not
 * load the code for it. `load` is the caller's `require`.
 */
export function lazily<Module>(load: NodeJS.Require, name: string): () => Module {
  return once(() => load(name) as Module);
}
