import { z } from 'zod';
import { passwordResetEndpoints } from '../../accounts/signIn/passwordReset.endpoints';
import { anyone } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { page, type PageResponse, Redirect, type Visit } from '../../kit/pages/page';
import { platformClientId } from '../../platform';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { textsFor } from '../layout/texts';
import { showEntry } from './frame';

/**
 * The forgotten password of a merchant or a member of the staff. `src/pages/mailedLinks.ts` has the pages behind the mailed
 * link.
 */

const text = z.string().optional();
export const forgottenPassword = '/console/forgotten';
const open = { area: 'console', auth: anyone(), path: forgottenPassword } as const;

export const forgottenPages = {
  showConsoleForgotten: page({
    ...open,
    method: 'get',
    summary: 'The form for a new password of a merchant',
    query: z.object({ done: text }),
    handler: (visit) => Promise.resolve(visit.query.done === 'sent' ? sentPage(visit) : requestPage(visit)),
  }),
  askForPasswordInConsole: page({
    ...open,
    method: 'post',
    summary: 'Mails a link to a new password',
    form: z.object({ email: text }),
    handler: async (visit) => {
      const { email } = visit.form;
      const body = { merchant_uuid: platformClientId, email };
      const work = () => visit.call(passwordResetEndpoints.forgotPassword, { body });
      const outcome = await attempt(textsFor(visit), work);
      if ('refused' in outcome) return requestPage(visit, { complaint: outcome.refused, email });
      return new Redirect(`${forgottenPassword}?done=sent`);
    },
  }),
};

interface Refused {
  complaint?: Complaint;
  email?: string | undefined;
}

function requestPage(visit: Visit, { complaint, email }: Refused = {}): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const label = t('common.email');
  const fields = html`${complaints(texts, complaint, { email: label })}
  ${field(texts, { name: 'email', type: 'email', label, value: email, complaint, autocomplete: 'username', isRequired: true })}
  ${submit(t('paywall.mailLink'), { isFull: true })}`;
  const content = html`<p class="quiet">${t('paywall.forgottenHint')}</p>
    ${form(visit, { action: forgottenPassword, content: fields })}`;
  return cardPage(visit, t('paywall.forgotten'), content, complaint);
}

/** The same for every address, so that it does not reveal who is registered. */
function sentPage(visit: Visit): PageResponse {
  const { t } = textsFor(visit);
  const content = html`<p role="status">${t('paywall.forgottenSent')}</p>
    <p class="quiet">${t('console.forgotten.sentHint')}</p>
    <p><a class="button other full" href="${forgottenPassword}">${t('console.forgotten.again')}</a></p>`;
  return cardPage(visit, t('console.forgotten.sentTitle'), content, undefined);
}

function cardPage(visit: Visit, title: string, content: Html, complaint: Complaint | undefined) {
  const back = html`<p class="centred">
    <a href="/console/sign-in">${textsFor(visit).t('console.forgotten.back')}</a>
  </p>`;
  const card = html`<div class="card stack">
    <h1>${title}</h1>
    ${content} ${back}
  </div>`;
  return showEntry(visit, title, card, complaint);
}
