import { type PageWalker, type Walked } from './pageWalker';

/** The console's reports as a reader without scripts sees them: each number, and the way to its rows. */

export interface Shown {
  /** The list of rows, and what it is asked by. */
  address: string;
  /** What stands in the link. */
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
/** Beside it: in a tile the description of the term, in a chart's key what follows. */
const beside = '(?:\\s*<\\/dt>\\s*<dd>([^<]*)<\\/dd>|\\s*<span class="amount strong">([^<]*)<\\/span>)?';

/** Every number of a page with a way to rows. */
export function numbersOn({ text: page }: Pick<Walked, 'text'>): Shown[] {
  return [...page.matchAll(new RegExp(link + beside, 'g'))].map(([, href = '', text = '', described, keyed]) => ({
    address: href.replaceAll('&amp;', '&'),
    text: plain(text),
    value: numberIn(described ?? keyed ?? text),
  }));
}

/** What the page of rows says that they come to, by name. */
export async function totalsAt(walker: PageWalker, address: string): Promise<Record<string, number>> {
  const { status, text } = await walker.open(address);
  expect([address, status]).toEqual([address, 200]);
  const [, list = ''] = /<ul class="totals">([^]*?)<\/ul>/.exec(text) ?? [];
  const entries = [...list.matchAll(/<li>([^]*?)<\/li>/g)].map(([, line = '']) => plain(line).split(': '));
  return Object.fromEntries(entries.map(([name = '', value = '']) => [name, numberIn(value)]));
}
