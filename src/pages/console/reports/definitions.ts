import { html, type Html } from '../../../kit/html';
import { reportEndpoints } from '../../../reports/endpoints';
import { definitionIn, type Texts } from '../../layout/texts';
import { type Asked, type RangeVisit } from './range';

/** What each number means, and the rows behind it. */
export async function definitionsOf(visit: RangeVisit, texts: Texts, asked: Asked): Promise<Html> {
  const { t } = texts;
  const { collection } = await visit.call(reportEndpoints.listDefinitions);
  const entries = collection.map((found) => {
    const address = found.rows === null ? undefined : consoleRows(found.rows, asked);
    const own = definitionIn(texts.language, found.name);
    const { title, definition } = own ?? found;
    const foreign = own || texts.language === 'en' ? '' : html`lang="en" dir="ltr"`;
    return html`<dt class="strong" ${foreign}>${title}</dt>
      <dd>
        <span ${foreign}>${definition}</span>
        ${address === undefined ? '' : html`<a href="${address}">${t('console.reports.rows')}</a>`}
      </dd>`;
  });
  return html`<details class="card more">
    <summary>${t('console.reports.definitions')}</summary>
    <dl class="stack tight">${entries}</dl>
  </details>`;
}

/** `/reporting/movements?…{from}…` as the console's own page; undefined where it has none. */
function consoleRows(rows: string, asked: Asked): string | undefined {
  const values: Record<string, string> = { from: asked.from, to: asked.to, currency: asked.currency };
  const filled = rows.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? '');
  const found = /^\/reporting\/(movements|transitions|transactions)(\?.*)$/.exec(filled);
  return found ? `/console/reports/${found[1] ?? ''}${found[2] ?? ''}` : undefined;
}
