import { dataCaptureEndpoints } from '../../accounts/dataCaptures/endpoints';
import { isPass, writePass } from '../../accounts/dataCaptures/service';
import { accountEndpoints } from '../../accounts/endpoints';
import { AppError } from '../../kit/errors';
import { html } from '../../kit/html';
import { type Shown, type ShownOptions } from '../../kit/pages/page';
import { refuseStranger } from '../../restrictions/service';
import { type Fields } from '../customer/registerFields';
import { contentFrame } from '../layout/content';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { address, type Paywall, stage, stageId, stepLink, titleOf, withPageToken } from './parts';

/** What opens for a name and an address. Of who is signed in, the account's address counts. */

interface CaptureState {
  values?: Fields;
  complaint?: Complaint;
}

export async function captureStage(
  paywall: Paywall,
  { values, complaint }: CaptureState,
  options: ShownOptions = {},
): Promise<Shown> {
  const { visit, texts } = paywall;
  const { t } = texts;
  const known: Fields = values ?? (visit.caller ? await ownDetails(paywall) : {});
  const labels = { full_name: t('common.fullName'), email: t('common.email'), company: t('paywall.company') };
  const input = (name: keyof typeof labels) => ({ name, label: labels[name], value: known[name], complaint });
  const content = html`${complaints(texts, complaint, labels)}
  ${field(texts, { ...input('full_name'), autocomplete: 'name', maxlength: 250, isRequired: true })}
  ${
    visit.caller
      ? ''
      : field(texts, { ...input('email'), type: 'email', autocomplete: 'email', maxlength: 250, isRequired: true })
  }
  ${field(texts, { ...input('company'), autocomplete: 'organization', maxlength: 250 })}
  ${submit(t('paywall.capture'), { isFull: true })}`;
  const signIn = html`<p class="centred">
    ${t('paywall.haveAccount')} ${stepLink(paywall, { step: 'sign-in' }, t('common.signIn'))}
  </p>`;
  const card = html`<section class="card stack">
      <h2 tabindex="-1" ${complaint ? '' : html`data-focus`}>${t('paywall.captureTitle')}</h2>
      <p class="quiet">${t('paywall.captureHint')}</p>
      ${form(visit, { action: address(paywall, 'data-capture'), target: stageId, content, name: 'data-capture' })}
    </section>
    ${visit.caller ? '' : signIn}`;
  const told = visit.caller || complaint ? {} : { tell: { type: 'paywall.shown' } };
  return stage(paywall, card, { ...options, ...(complaint && { status: 422 }), ...told });
}

export const opensForAddress = ({ item }: Paywall) => item.is_active && item.access_control_type.name === 'DataCapture';

/** Of nobody who is signed in an address is asked, where nothing forbids the item to somebody without an account. */
export async function strangersStage(
  paywall: Paywall,
  pass: string | undefined,
  options: ShownOptions,
): Promise<Shown | undefined> {
  if (!opensForAddress(paywall) || !(await isOpenToStrangers(paywall))) return undefined;
  const { merchant_uuid, item_id } = paywall.place;
  if (pass !== undefined && isPass(pass, merchant_uuid, item_id)) return capturedStage(paywall, pass, options);
  return captureStage(paywall, {}, options);
}

async function isOpenToStrangers({ visit, item }: Paywall): Promise<boolean> {
  const { host, clientAddress: address } = visit.request;
  try {
    await refuseStranger({ merchantId: item.merchant_id, host, address }, item.id);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'access_restricted') return false;
    throw error;
  }
}

/** What an address has opened, to somebody without an account. */
export function capturedStage(paywall: Paywall, pass: string, options: ShownOptions = {}): Shown {
  const title = titleOf(paywall.item);
  const at = withPageToken(paywall, address(paywall, 'content', { pass }));
  const content = html`<section class="stack">
    <div class="alert good" role="status" tabindex="-1" data-focus>
      <p class="strong">${paywall.texts.t('paywall.captured')}</p>
    </div>
    <h1><bdi>${title}</bdi></h1>
    ${contentFrame({ address: at, title })}
  </section>`;
  const tell = { type: 'paywall.unlocked', expires_at: endOfTimeSeconds, is_new: true };
  return stage(paywall, content, { ...options, hasCard: false, tell });
}

/** No account keeps an end. */
const endOfTimeSeconds = 0x7fffffff;

async function ownDetails({ visit }: Paywall): Promise<Fields> {
  const { email, full_name } = await visit.call(accountEndpoints.getAccount);
  return { email, full_name };
}

/** `pass`: what opens the item to somebody without an account; an account's own address opens it to its account. */
export interface Left {
  pass: string | undefined;
}

/** The form again with what is wrong, or that the address is taken down. */
export async function leaveAddress(paywall: Paywall, sent: Fields): Promise<Left | Shown> {
  const { visit, place, texts } = paywall;
  const { merchant_uuid, item_id } = place;
  const own = visit.caller ? { email: (await ownDetails(paywall)).email } : { item_id: String(item_id) };
  const body = { ...sent, ...own, merchant_uuid };
  const tried = await attempt(texts, () => visit.call(dataCaptureEndpoints.captureData, { body }));
  if ('refused' in tried) return captureStage(paywall, { values: sent, complaint: tried.refused });
  return { pass: visit.caller ? undefined : writePass(merchant_uuid, item_id) };
}
