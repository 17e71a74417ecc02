/** The fields that are not undefined: an update writes those and leaves the others unchanged. */
export function definedFields<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  // The compiler does not keep the names in a list of entries.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
}
