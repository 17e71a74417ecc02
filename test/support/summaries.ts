import { type PageWalker } from './pageWalker';

/** The forms of pages without a browser, and the faults of the summaries that wrong values bring. */

interface FormOnPage {
  action: string;
  /** The fields that people fill in or choose, by their type. */
  fields: Map<string, string>;
  kept: Record<string, string>;
}

const attributeOf = (tag: string, name: string) =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&');

export function formsOn(html: string): FormOnPage[] {
  return [...html.matchAll(/<form\s[^>]*method="post"[^>]*>[^]*?<\/form>/g)].flatMap(([form]) => {
    const action = attributeOf(form, 'action');
    const fields = new Map<string, string>();
    const kept: Record<string, string> = {};
    for (const [tag, element = ''] of form.matchAll(/<(input|select|textarea)\s[^>]*>/g)) {
      const [name, type = element] = [attributeOf(tag, 'name'), attributeOf(tag, 'type')];
      if (name === undefined || name === '_token') continue;
      if (type === 'hidden') kept[name] = attributeOf(tag, 'value') ?? '';
      else if (!['checkbox', 'radio', 'file', 'submit'].includes(type)) fields.set(name, type);
    }
    return action === undefined || fields.size === 0 ? [] : [{ action, fields, kept }];
  });
}

const long = 'x'.repeat(3_000);
const times = ['date', 'datetime-local'];

/** What a person can send by mistake: nothing, too little, too much, and a time long ago. */
const mistakes: ((type: string) => string)[] = [
  () => '',
  (type) => (times.includes(type) ? '1901-01-01T00:00:00' : '-1'),
  (type) => (times.includes(type) ? '2999-01-01T00:00:00' : type === 'number' ? '99999999.999' : long),
];

export interface Summaries {
  /** How many summaries were seen, and how many fields they named. */
  seen: number;
  named: number;
  faults: string[];
}

/** Sends each form of the page with mistakes, and reads the summaries. */
export async function summariesAt(walker: PageWalker, address: string): Promise<Summaries> {
  const found: Summaries = { seen: 0, named: 0, faults: [] };
  for (const { action, fields, kept } of formsOn((await walker.open(address)).text)) {
    for (const mistake of mistakes) {
      await walker.open(address);
      const values = Object.fromEntries([...fields].map(([name, type]) => [name, mistake(type)]));
      const { text, status } = await walker.submit(action, { ...kept, ...values });
      if (status >= 500) found.faults.push(`${action}: ${status}`);
      for (const summary of summariesIn(text)) {
        found.seen += 1;
        found.named += summary.match(/<a /g)?.length ?? 0;
        found.faults.push(...faultsOfSummary(summary, text).map((fault) => `${action}: ${fault}`));
      }
    }
  }
  return found;
}

const summariesIn = (html: string) =>
  [...html.matchAll(/<div class="alert bad" role="alert"[^>]*>[^]*?<\/div>/g)].map(([summary]) => summary);

/** Prefixes of Stripe's keys are no codes of ours. */
const withoutKeys = (text: string) => text.replaceAll(/[psr]k_(?:live|test)_/g, '');
const asText = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
const inPattern = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** A summary links to fields of the page by their labels, and has neither names of fields nor times and amounts in code. */
export function faultsOfSummary(summary: string, page: string): string[] {
  const links = [...summary.matchAll(/<a href="#([^"]*)"[^>]*>([^<]*)<\/a>/g)];
  const badLinks = links.flatMap(([, id = '', text = '']) => {
    if (!page.includes(`id="${id}"`)) return [`no field has the id ${id}`];
    const label = new RegExp(
      `(?:<label[^>]* for="${inPattern(id)}"[^>]*>|id="${inPattern(id)}"[^>]*>\\s*<legend[^>]*>)\\s*([^<]*)`,
    ).exec(page)?.[1];
    return label !== undefined && text.startsWith(`${label.trim()}: `)
      ? []
      : [`${id} is not called ${label ?? 'anything'}: ${text}`];
  });
  const codes = [/\d{4}-\d\d-\d\d/, /[a-z]+_[a-z]+/, /\d [A-Z]{3}\b/, /data-unnamed/].filter((code) =>
    code.test(withoutKeys(asText(summary))),
  );
  return [...badLinks, ...codes.map(() => `is for developers: ${asText(summary)}`)];
}
