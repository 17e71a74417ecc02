import { password } from './factories';
import { type PageWalker, type Walked } from './pageWalker';

const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The hidden fields of a question for a confirmation, as a browser sends them again. */
export const keptIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll(/&(\w+|#39);/g, (whole, entity: string) => characters[entity] ?? whole),
    ]),
  );

/** Submits a form, which must ask for the password, and then the question with the right password. */
export async function submitAndConfirm(
  walker: PageWalker,
  path: string,
  fields: Record<string, string> = {},
): Promise<Walked> {
  const asked = await walker.submit(path, fields);
  const kept = keptIn(asked.text);
  expect([asked.status, asked.text.includes(`action="${path}"`), kept]).toMatchObject([403, true, fields]);
  return walker.submit(path, { ...kept, _confirm_password: password });
}
