import { html, type Html } from '../../../kit/html';
import { type Texts } from '../../layout/texts';
import { named } from '../frame';

interface Entry {
  kind: string;
  type: string;
  summary: string;
  reason: string;
  amount: string;
  workflow_id: string;
  workflow_url: string;
  happened_at: number;
}

/** What happened to a customer, the newest first, each with the durable run that did it. */
export function timelineOf(texts: Texts, entries: readonly Entry[]): Html {
  const { t } = texts;
  if (entries.length === 0) return html`<div class="card empty">${t('console.timeline.none')}</div>`;
  const lines = entries.map(
    (entry) =>
      html`<li>
        <p class="small quiet">${texts.dateTime(entry.happened_at)}</p>
        <p><span class="strong">${named(texts, 'events', entry.type)}</span> ${detailsOf(entry)}</p>
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

function detailsOf({ summary, amount, reason }: Entry): Html {
  const parts = [summary, amount, reason].filter((part) => part !== '');
  return html`${parts.length > 0 ? `· ${parts.join(' · ')}` : ''}`;
}

/** The way into Temporal's own pages, where somebody told us where they are. */
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
