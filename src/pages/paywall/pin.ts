import { pinCodeEndpoints } from '../../accounts/signIn/pinCodes.endpoints';
import { html } from '../../kit/html';
import { type PageResponse, type PageResponseOptions } from '../../kit/pages/page';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { address, type Paywall, stage, stageId } from './parts';

interface PinState {
  complaint?: Complaint;
  isSent?: boolean;
  /** The reason for the code, if the content does not need one. */
  why?: string;
}

/** The form for the mailed PIN code, if the merchant requires one before the content. */
export function pinStage(
  paywall: Paywall,
  { complaint, isSent = false, why }: PinState,
  options: PageResponseOptions = {},
): PageResponse {
  const { texts, visit } = paywall;
  const { t } = texts;
  const entry = html`${complaints(texts, complaint, { pin_code: t('paywall.pinCode') })}
  ${field(texts, {
    name: 'pin_code',
    label: t('paywall.pinCode'),
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    maxlength: 20,
    isRequired: true,
    complaint,
    more: { dir: 'ltr' },
  })}
  ${submit(t('common.continue'), { isFull: true })}`;
  const again = submit(t(isSent ? 'paywall.pinAgain' : 'paywall.pinSend'), { kind: isSent ? 'plain' : 'main' });
  const content = html`<section class="card stack">
    <h2 tabindex="-1" ${complaint ? '' : html`data-focus`}>${t('paywall.pinTitle')}</h2>
    <p class="quiet">${isSent ? t('paywall.pinSent') : (why ?? t('paywall.pinWhy'))}</p>
    ${isSent ? form(visit, { action: address(paywall, 'pin'), target: stageId, content: entry, name: 'pin' }) : ''}
    ${form(visit, { action: address(paywall, 'pin/mail'), target: stageId, content: again, name: 'pin-mail', className: 'centred' })}
  </section>`;
  return stage(paywall, content, options);
}

export async function mailPin(paywall: Paywall): Promise<PageResponse> {
  const outcome = await attempt(paywall.texts, () => paywall.visit.call(pinCodeEndpoints.sendPinCode));
  if ('done' in outcome) return pinStage(paywall, { isSent: true });
  return pinStage(paywall, { complaint: outcome.refused, isSent: true }, { status: 422 });
}

/** The refused form. Undefined if the code was correct. */
export async function checkPin(paywall: Paywall, code: string | undefined): Promise<PageResponse | undefined> {
  const body = { pin_code: code };
  const outcome = await attempt(paywall.texts, () => paywall.visit.call(pinCodeEndpoints.validatePinCode, { body }));
  if ('done' in outcome) return undefined;
  return pinStage(paywall, { complaint: outcome.refused, isSent: true }, { status: 422 });
}
