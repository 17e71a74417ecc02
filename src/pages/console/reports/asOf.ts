import { html, type Html } from '../../../kit/html';
import { type Texts } from '../../layout/texts';

/** The time of a report that comes from a replica that is behind. */
export function asOfNote({ t, dateTime }: Texts, { as_of: seconds }: { as_of?: number | undefined }): Html {
  return seconds === undefined
    ? html``
    : html`<p class="quiet small">${t('console.reports.asOf', { time: dateTime(seconds) })}</p>`;
}
