import { type PageWalker } from './pageWalker';

/** The fields of chosen rows, as their checkboxes send them. */
export const rowsOf = (ids: readonly (string | number)[]) =>
  Object.fromEntries(ids.map((id, index) => [`rows[${index}]`, String(id)]));

export const chosenAddress = (list: string, fields: Record<string, string>) =>
  `/console/chosen/${list}?${new URLSearchParams(fields).toString()}`;

/** The id of the form on the page of confirmation. */
export async function openConfirmation(walker: PageWalker, list: string, fields: Record<string, string>) {
  const { text } = await walker.open(chosenAddress(list, fields));
  return /name="_form" value="([^"]+)"[^]*?name="action"/.exec(text.slice(text.indexOf('id="page"')))?.[1] ?? '';
}

/** What the page of the result tells of each row, in order. */
export const toldOf = (text: string) =>
  [...text.matchAll(/<span class="(?:badge good|refusal)">([^<]*)<\/span>/g)].map(([, told]) => told);
