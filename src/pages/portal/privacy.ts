import { z } from 'zod';
import { accountEndpoints } from '../../accounts/accounts.endpoints';
import { privacyEndpoints } from '../../privacy/privacy.endpoints';
import { type Caller } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type PageResponse } from '../../kit/pages/page';
import { notificationEndpoints } from '../../notifications/notifications.endpoints';
import { lastPlaces } from '../../notifications/notifications';
import { asksPassword } from '../customer/confirmation';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import {
  addressIn,
  good,
  inPortal,
  openPortal,
  pageId,
  type Portal,
  portalPath,
  showInPortal,
  text,
  waiting,
} from './frame';

const atData = { ...inPortal, path: `${portalPath}/data` } as const;
const atErasure = { ...inPortal, path: `${portalPath}/data/erase` } as const;

/** The export of a customer's data, and the erasure of the account. */
export const privacyPages = {
  showOwnData: page({
    ...atData,
    method: 'get',
    summary: 'The forms for the export of data and the erasure of the account',
    query: z.object({
      after: z
        .string()
        .regex(/^\d{1,15}$/)
        .optional(),
      confirm: text,
      lang: text,
    }),
    handler: async (visit) => {
      const { after, confirm } = visit.query;
      return dataPage(await openPortal(visit), { after, isConfirmationMailed: confirm === 'mailed' });
    },
  }),
  exportInPortal: page({
    ...atData,
    method: 'post',
    path: `${portalPath}/data/export`,
    summary: 'Mails a customer all its data',
    form: z.object({ password: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const after = await placeOf(visit.caller);
      const outcome = await attempt(portal.texts, () =>
        visit.call(privacyEndpoints.exportAccount, { body: visit.form }),
      );
      if ('refused' in outcome) return dataPage(portal, { complaint: outcome.refused });
      if (outcome.done.state === 'confirmation_mailed')
        return new Redirect(addressIn(portal, 'data', { confirm: 'mailed' }));
      return new Redirect(addressIn(portal, 'data', { after }));
    },
  }),
  showErasure: page({
    ...atErasure,
    method: 'get',
    summary: 'The consequences of an erasure',
    handler: async (visit) => erasurePage(await openPortal(visit)),
  }),
  eraseInPortal: page({
    ...atErasure,
    method: 'post',
    summary: 'Erases the account, and signs out',
    form: z.object({ password: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const outcome = await attempt(portal.texts, () =>
        visit.call(privacyEndpoints.eraseAccount, { body: visit.form }),
      );
      if ('refused' in outcome) return erasurePage(portal, outcome.refused);
      return new Redirect(addressIn(portal, 'sign-in', { done: 'erased' }), { signOut: true });
    },
  }),
};

/** The current position in the event stream. The outcome is published after it. */
async function placeOf({ merchantId }: Caller): Promise<string> {
  const places = await lastPlaces([merchantId]);
  return String(places.get(merchantId) ?? 0);
}

interface DataState {
  after?: string | undefined;
  isConfirmationMailed?: boolean;
  complaint?: Complaint;
}

async function dataPage(portal: Portal, state: DataState): Promise<PageResponse> {
  const { t } = portal.texts;
  const { complaint } = state;
  const notice = await noticeOf(portal, state);
  const position = { section: 'data', title: t('portal.sections.data'), notice } as const;
  const content = html`<section class="card stack slender">
      <h2>${t('portal.data.export')}</h2>
      <p>${t('portal.data.exportWhat')}</p>
      ${await exportForm(portal, complaint)}
    </section>
    <section class="card stack slender">
      <h2>${t('portal.data.erase')}</h2>
      <p>${t('portal.data.eraseWhat')}</p>
      <p><a class="button" href="${addressIn(portal, 'data/erase')}">${t('portal.data.eraseAsk')}</a></p>
    </section>`;
  return showInPortal(portal, position, content, complaint ? { status: 422 } : {});
}

/** The notice of a requested export. A workflow collects and mails the data, and publishes an event at its end. */
async function noticeOf(portal: Portal, { after, isConfirmationMailed }: DataState): Promise<Html | undefined> {
  if (after === undefined && !isConfirmationMailed) return undefined;
  const { visit, texts } = portal;
  const { email } = await visit.call(accountEndpoints.getAccount);
  if (after === undefined) return good(texts.t('portal.data.exportConfirm', { email }));
  const { collection } = await visit.call(notificationEndpoints.listEvents, { query: { after, limit: '500' } });
  const isDone = collection.some(({ type }) => type === 'account.export.success');
  if (isDone) return good(texts.t('portal.data.exported', { email }));
  return waiting(portal, texts.t('portal.data.exporting', { email }), addressIn(portal, 'data', { after }));
}

async function exportForm(portal: Portal, complaint: Complaint | undefined): Promise<Html> {
  const { t } = portal.texts;
  const hint = t('portal.data.exportPasswordHint');
  const content = html`${await passwordField(portal, complaint, { hint, isRequired: false })}
  ${submit(t('portal.data.exportAsk'))}`;
  return form(portal.visit, { action: addressIn(portal, 'data/export'), target: pageId, content, name: 'export' });
}

/** The form is on its own page, so that one click erases nothing. */
async function erasurePage(portal: Portal, complaint?: Complaint): Promise<PageResponse> {
  const { t } = portal.texts;
  const back = addressIn(portal, 'data');
  const position = {
    section: 'data',
    title: t('portal.data.erase'),
    back: { address: back, text: t('portal.sections.data') },
  } as const;
  const content = html`${await passwordField(portal, complaint, { hint: t('portal.data.passwordHint'), isRequired: true })}
    <div class="row">
      ${submit(t('portal.data.eraseAsk'), { kind: 'danger' })} <a href="${back}">${t('common.cancel')}</a>
    </div>`;
  const action = addressIn(portal, 'data/erase');
  const whole = html`<section class="card stack slender">
    <p>${t('portal.data.eraseWhat')}</p>
    <p class="alert warn">${t('portal.data.eraseQuestion')}</p>
    ${form(portal.visit, { action, target: pageId, content, name: 'erase' })}
  </section>`;
  return showInPortal(portal, position, whole, complaint ? { status: 422 } : {});
}

/** The field, unless the customer has no password. Such a customer confirms by a new sign-in, which the kit asks for. */
async function passwordField(
  { texts, visit }: Portal,
  complaint: Complaint | undefined,
  { hint, isRequired }: { hint: string; isRequired: boolean },
): Promise<Html> {
  const label = texts.t('common.password');
  const input = field(texts, {
    name: 'password',
    type: 'password',
    label,
    hint,
    autocomplete: 'current-password',
    isRequired,
    complaint,
  });
  return html`${complaints(texts, complaint, { password: label })} ${(await asksPassword(visit)) && input}`;
}
