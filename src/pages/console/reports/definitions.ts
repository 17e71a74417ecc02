import { html, type Html } from '../../../kit/html';
import { reportEndpoints } from '../../../reports/endpoints';
import { type Visit } from '../../../kit/pages/page';
import { definitionIn, type Texts } from '../../layout/texts';
import { type Asked } from './range';

/** What the numbers of a report mean, and the way to the rows behind each. */

/** What a number is asked for; `cohort` is of those of one month only. */
export type Scope = Pick<Asked, 'from' | 'to' | 'currency'> & { cohort?: string };

export interface Meanings {
  /** The console's page of the rows that a number is a sum of; undefined where it has none. */
  rowsOf: (name: string, scope: Scope) => string | undefined;
  /** The same of what it is divided by. */
  dividerOf: (name: string, scope: Scope) => string | undefined;
  /** What these numbers mean, folded up. `title` says what of. */
  explain: (title: string, names: readonly string[]) => Html;
}

export async function readMeanings(visit: Visit, texts: Texts): Promise<Meanings> {
  const { collection } = await visit.call(reportEndpoints.listDefinitions);
  const known = new Map(collection.map((found) => [found.name, found]));
  const wayTo = (rows: string | null | undefined, scope: Scope) =>
    rows === null || rows === undefined ? undefined : consoleRows(rows, scope);
  return {
    rowsOf: (name, scope) => wayTo(known.get(name)?.rows, scope),
    dividerOf: (name, scope) => wayTo(known.get(name)?.divided_by, scope),
    explain: (title, names) => {
      const entries = names.map((name) => known.get(name)).filter((found) => found !== undefined);
      return explained(texts, title, entries);
    },
  };
}

interface Definition {
  name: string;
  title: string;
  definition: string;
}

function explained(texts: Texts, title: string, found: readonly Definition[]): Html {
  const entries = found.map((each) => {
    const own = definitionIn(texts.language, each.name);
    const { title: name, definition } = own ?? each;
    const foreign = own || texts.language === 'en' ? '' : html`lang="en" dir="ltr"`;
    return html`<dt class="strong" ${foreign}>${name}</dt>
      <dd ${foreign}>${definition}</dd>`;
  });
  return html`<details class="small meaning">
    <summary>${texts.t('console.reports.meaning')}<span class="visually-hidden">: ${title}</span></summary>
    <dl class="stack tight">${entries}</dl>
  </details>`;
}

const dayMs = 86_400_000;

/** `/reporting/movements?…{from}…` as the console's own page; undefined where it has none. */
function consoleRows(rows: string, { from, to, currency, cohort = '' }: Scope): string | undefined {
  const before = new Date(Date.parse(from) - dayMs).toISOString().slice(0, 10);
  const values: Record<string, string> = { from, to, currency, cohort, before };
  const filled = rows.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? '');
  const found = /^\/reporting\/(movements|transitions|transactions)(\?.*)$/.exec(filled);
  return found ? `/console/reports/${found[1] ?? ''}${found[2] ?? ''}` : undefined;
}
