import { dataCaptureEndpoints } from '../../entitlements/dataCaptures.endpoints';
import { isPass, writePass } from '../../entitlements/dataCaptures';
import { accountEndpoints } from '../../accounts/accounts.endpoints';
import { AppError } from '../../kit/errors';
import { html } from '../../kit/html';
import { type PageResponse, type PageResponseOptions } from '../../kit/pages/page';
import { refuseStranger } from '../../restrictions/restrictions';
import { type Fields } from '../customer/registerFields';
import { contentFrame } from '../layout/content';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { endOfTimeSeconds } from '../layout/lists';
import { address, type Paywall, stage, stageId, stepLink, titleOf, withPageToken } from './parts';

/**
 * Items that open after the visitor leaves a name and an e-mail address. A signed-in visitor uses the address of the
 * account.
 */

interface CaptureState {
  values?: Fields;
  complaint?: Complaint;
}

export async function captureStage(
  paywall: Paywall,
  { values, complaint }: CaptureState,
  options: PageResponseOptions = {},
): Promise<PageResponse> {
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
  const message = visit.caller || complaint ? {} : { tell: { type: 'paywall.shown' } };
  return stage(paywall, card, { ...options, ...(complaint && { status: 422 }), ...message });
}

export const opensForAddress = ({ item }: Paywall) => item.is_active && item.access_control_type.name === 'DataCapture';

/**
 * The stage of a visitor without an account, with the form for an address. Undefined if a restriction refuses the item
 * to such visitors.
 */
export async function strangersStage(
  paywall: Paywall,
  pass: string | undefined,
  options: PageResponseOptions,
): Promise<PageResponse | undefined> {
  if (!opensForAddress(paywall) || !(await isOpenToStrangers(paywall))) return undefined;
  const { merchant_uuid, item_id } = paywall.place;
  if (pass !== undefined && isPass(pass, merchant_uuid, item_id)) return capturedStage(paywall, pass, options);
  return captureStage(paywall, {}, options);
}

async function isOpenToStrangers({ visit, item }: Paywall): Promise<boolean> {
  const { host, refererHost, clientAddress: address } = visit.request;
  try {
    await refuseStranger({ merchantId: item.merchant_id, host, refererHost, address }, item.id);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'access_restricted') return false;
    throw error;
  }
}

/** The content for a visitor without an account who has left an address. */
export function capturedStage(paywall: Paywall, pass: string, options: PageResponseOptions = {}): PageResponse {
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

async function ownDetails({ visit }: Paywall): Promise<Fields> {
  const { email, full_name } = await visit.call(accountEndpoints.getAccount);
  return { email, full_name };
}

/**
 * The result of a left address. `pass` opens the item for a visitor without an account. A signed-in account needs no
 * pass.
 */
export interface Left {
  pass: string | undefined;
}

/** Saves the address, or shows the form again with its errors. */
export async function leaveAddress(paywall: Paywall, sent: Fields): Promise<Left | PageResponse> {
  const { visit, place, texts } = paywall;
  const { merchant_uuid, item_id } = place;
  const own = visit.caller ? { email: (await ownDetails(paywall)).email } : { item_id: String(item_id) };
  const body = { ...sent, ...own, merchant_uuid };
  const outcome = await attempt(texts, () => visit.call(dataCaptureEndpoints.captureData, { body }));
  if ('refused' in outcome) return captureStage(paywall, { values: sent, complaint: outcome.refused });
  return { pass: visit.caller ? undefined : writePass(merchant_uuid, item_id) };
}
