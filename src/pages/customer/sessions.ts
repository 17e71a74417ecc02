import { type sessionEndpoints } from '../../accounts/tokens/sessions.endpoints';
import { html, type Html } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { type RowOf } from '../layout/answers';
import { confirmButton } from '../layout/forms';
import { type Texts } from '../layout/texts';

/** The open sessions of an account, in the portal, in the console and for operators. */

type Session = RowOf<typeof sessionEndpoints.listSessions>;

interface SessionList {
  rows: readonly Session[];
  /** The address of the form that ends a session. Undefined if the visitor may not end it. */
  endAt: ((id: string) => string) | undefined;
}

export function sessionList(visit: Visit, texts: Texts, { rows, endAt }: SessionList): Html {
  const { t } = texts;
  if (rows.length === 0) return html`<p class="card empty">${t('sessions.none')}</p>`;
  const entries = rows.map((row) => {
    const question = { label: t('sessions.end'), question: t('sessions.endQuestion') };
    const mayEnd = endAt !== undefined && !row.is_current;
    return html`<li>
      <div class="tight">
        <p class="strong"><bdi>${deviceText(texts, row)}</bdi></p>
        <p class="quiet small">${placeText(texts, row.place)}</p>
        <p class="quiet small">
          ${t('sessions.lastUsed', { time: texts.dateTime(row.last_used_at) })} ·
          ${t('sessions.since', { time: texts.dateTime(row.created_at) })}
        </p>
      </div>
      ${row.is_current && html`<span class="badge good">${t('sessions.here')}</span>`}
      ${row.is_acted && html`<span class="badge">${t('sessions.support')}</span>`}
      ${mayEnd && confirmButton(visit, { ...question, action: endAt(row.id), name: `end-${row.id}` })}
    </li>`;
  });
  return html`<ul class="card entries">
    ${entries}
  </ul>`;
}

function deviceText({ t, series }: Texts, { device: { type, os, model } }: Session): string {
  const named = series([model, os]);
  if (named !== '') return named;
  return t(type === 'desktop' ? 'sessions.computer' : 'sessions.unknownDevice');
}

/** The city and the country of a device, in the language of the page. */
export function placeText(
  { t, country: nameOf, series }: Texts,
  { country, city }: { country: string; city: string },
): string {
  if (country === '') return t('sessions.unknownPlace');
  return series([city, nameOf(country)]);
}
