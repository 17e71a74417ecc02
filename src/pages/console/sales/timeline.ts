import { type timelineEndpoints } from '../../../customers/timelines.endpoints';
import { html, type Html } from '../../../kit/html';
import { type RowOf } from '../../layout/answers';
import { named, type Texts } from '../../layout/texts';
import { emptyCard } from '../../layout/lists';
import { reasonText } from './timelineReasons';

type Entry = RowOf<typeof timelineEndpoints.getTimeline>;

/** The timeline of a customer, newest first. Each entry contains the workflow run that caused it. */
export function timelineOf(texts: Texts, entries: readonly Entry[]): Html {
  const { t } = texts;
  if (entries.length === 0) return emptyCard(t('console.timeline.none'), 'audit');
  const lines = entries.map(
    (entry) =>
      html`<li>
        <p class="small quiet">${texts.dateTime(entry.happened_at)}</p>
        <p><span class="strong">${named(texts, 'events', entry.type)}</span> ${detailsOf(texts, entry)}</p>
        ${runLink(texts, entry)}
      </li>`,
  );
  return html`<div class="card stack">
    <p class="small quiet">${t('console.timeline.runHint')}</p>
    <ol class="timeline">
      ${lines}
    </ol>
  </div>`;
}

function detailsOf(texts: Texts, entry: Entry): Html {
  const { summary, amount_number: amount, currency_iso: currency } = entry;
  const money = amount === null ? '' : texts.money(amount, currency);
  const parts = [summary, money, reasonText(texts, entry)].filter((part) => part !== '');
  return html`${parts.length > 0 ? `· ${parts.join(' · ')}` : ''}`;
}

/** The link to a run in Temporal's UI, if the operator has set the address of that UI. */
export function runLink(
  { t }: Texts,
  { workflow_id: id, workflow_url: address }: Pick<Entry, 'workflow_id' | 'workflow_url'>,
): Html {
  if (id === '') return html``;
  if (address === '') return html`<p class="small quiet">${t('console.timeline.run')}: <code>${id}</code></p>`;
  return html`<p class="small">
    <a href="${address}" title="${id}" target="_blank" rel="noopener">${t('console.timeline.run')}</a>
  </p>`;
}
