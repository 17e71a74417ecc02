import { html, type Html } from '../../../kit/html';
import { reportEndpoints } from '../../../reports/reports.endpoints';
import { definitionIn } from '../../../reports/definitions';
import { type Visit } from '../../../kit/pages/page';
import { type Texts } from '../../layout/texts';
import { type ReportQuery } from './range';

/** The definitions of figures, and the links to their rows. */

/** The scope of a figure. `cohort`: the subscribers who started in one month. */
export type Scope = Pick<ReportQuery, 'from' | 'to' | 'currency'> & { cohort?: string };

export interface Meanings {
  /** The page with the rows of a figure. Undefined if there is none. */
  rowsOf: (name: string, scope: Scope) => string | undefined;
  /** The page with the rows of its divisor. */
  dividerOf: (name: string, scope: Scope) => string | undefined;
  /** The folded definitions of these figures. `title`: the name of the report. */
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
    const { title: name, definition } = definitionIn(texts.language, each.name) ?? each;
    return html`<dt class="strong">${name}</dt>
      <dd>${definition}</dd>`;
  });
  return html`<details class="small meaning">
    <summary>${texts.t('console.reports.meaning')}<span class="visually-hidden">: ${title}</span></summary>
    <dl class="stack tight">${entries}</dl>
  </details>`;
}

const dayMs = 86_400_000;

/** The console page for `/reporting/movements?…{from}…`. Undefined if there is none. */
function consoleRows(rows: string, { from, to, currency, cohort = '' }: Scope): string | undefined {
  const before = new Date(Date.parse(from) - dayMs).toISOString().slice(0, 10);
  const values: Record<string, string> = { from, to, currency, cohort, before };
  const filled = rows.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? '');
  const found = /^\/reporting\/(movements|transitions|transactions)(\?.*)$/.exec(filled);
  return found ? `/console/reports/${found[1] ?? ''}${found[2] ?? ''}` : undefined;
}
