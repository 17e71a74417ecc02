import { type PageWalker, type Walked } from './pageWalker';

/** The reports of the console without scripts: each number with the link to its rows. */

export interface Shown {
  /** The list of rows and its query. */
  address: string;
  /** The text of the link. */
  text: string;
  /** The number: beside the link, or in it. */
  value: number;
}

const numberIn = (text: string) =>
  Number(/-?[^\d-]?(\d[\d,]*\.?\d*)/.exec(text)?.[0].replaceAll(/[^\d.-]/g, '') ?? 'NaN');
const plain = (markup: string) =>
  markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const link =
  '<a\\s[^>]*href="(\\/console\\/reports\\/(?:movements|transitions|transactions)\\?[^"]*)"[^>]*>([^<]*)<\\/a\\s*>';
/** The text beside it: the description in a tile, or what follows in the legend of a chart. */
const beside = '(?:\\s*<\\/dt>\\s*<dd>([^<]*)<\\/dd>|\\s*<span class="amount strong">([^<]*)<\\/span>)?';

/** Every number of a page with a link to its rows. */
export function numbersOn({ text: page }: Pick<Walked, 'text'>): Shown[] {
  return [...page.matchAll(new RegExp(link + beside, 'g'))].map(([, href = '', text = '', described, keyed]) => ({
    address: href.replaceAll('&amp;', '&'),
    text: plain(text),
    value: numberIn(described ?? keyed ?? text),
  }));
}

/** The sums on the page of rows, by name. */
export async function totalsAt(walker: PageWalker, address: string): Promise<Record<string, number>> {
  const { status, text } = await walker.open(address);
  expect([address, status]).toEqual([address, 200]);
  const [, list = ''] = /<ul class="totals">([^]*?)<\/ul>/.exec(text) ?? [];
  const entries = [...list.matchAll(/<li>([^]*?)<\/li>/g)].map(([, line = '']) => plain(line).split(': '));
  return Object.fromEntries(entries.map(([name = '', value = '']) => [name, numberIn(value)]));
}
