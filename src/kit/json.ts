/** The value of a JSON text, or undefined if the text is not JSON. The caller checks the value with a schema. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
