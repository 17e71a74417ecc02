import { type Category } from './exports.model';

/** Large enough to be encrypted efficiently, small enough to hold many in memory. */
const partLength = 64 * 1024;

/** The export's JSON in parts: each category with its rows, then the data from other sources. */
export async function* presentExport(
  categories: Iterable<Category>,
  gathered: Record<string, unknown>,
): AsyncGenerator<string> {
  let text = `{"exported_at":${JSON.stringify(new Date())}`;
  for (const { name, isOne, pages } of categories) {
    text += `,\n${JSON.stringify(name)}:${isOne ? '' : '['}`;
    let separator = '';
    for await (const rows of pages)
      for (const row of rows) {
        text += `${separator}${JSON.stringify(row)}`;
        separator = ',\n';
        if (text.length < partLength) continue;
        yield text;
        text = '';
      }
    text += isOne ? '' : ']';
  }
  for (const [name, value] of Object.entries(gathered)) text += `,\n${JSON.stringify(name)}:${JSON.stringify(value)}`;
  yield `${text}}\n`;
}
