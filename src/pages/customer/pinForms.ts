import { pinCodeEndpoints } from '../../accounts/signIn/pinCodes.endpoints';
import { html, type Html } from '../../kit/html';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { type CustomerVisit } from './entry';

/** A code that is mailed to the customer and entered on a page. */
export interface PinState {
  complaint?: Complaint;
  isSent?: boolean;
  /** The reason for the code, if the content does not need one. */
  why?: string;
}

interface PinTarget {
  /** The address that checks the code. The address below it, `/mail`, sends the code. */
  action: string;
  /** The id of the element that the answer replaces. */
  target: string;
  /** Fields that both forms send again. */
  hidden?: Record<string, string>;
}

/** The forms that send and check the code. */
export function pinForms(
  { visit, texts }: Pick<CustomerVisit, 'visit' | 'texts'>,
  { complaint, isSent = false, why }: PinState,
  { action, target, hidden = {} }: PinTarget,
): Html {
  const { t } = texts;
  const kept = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
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
  ${kept} ${submit(t('common.continue'), { isFull: true })}`;
  const again = html`${kept}
  ${submit(t(isSent ? 'paywall.pinAgain' : 'paywall.pinSend'), { kind: isSent ? 'plain' : 'main' })}`;
  return html`<section class="card stack">
    <h2 tabindex="-1" ${complaint ? '' : html`data-focus`}>${t('paywall.pinTitle')}</h2>
    <p class="quiet">${isSent ? t('paywall.pinSent') : (why ?? t('paywall.pinWhy'))}</p>
    ${isSent ? form(visit, { action, target, content: entry, name: 'pin' }) : ''}
    ${form(visit, { action: `${action}/mail`, target, content: again, name: 'pin-mail', className: 'centred' })}
  </section>`;
}

/** Sends the code. The complaint, if the request was refused. */
export async function sendPin({ visit, texts }: Pick<CustomerVisit, 'visit' | 'texts'>) {
  const outcome = await attempt(texts, () => visit.call(pinCodeEndpoints.sendPinCode));
  return 'refused' in outcome ? outcome.refused : undefined;
}

/** Checks the code. The complaint, if it is not correct. */
export async function checkPin({ visit, texts }: Pick<CustomerVisit, 'visit' | 'texts'>, code: string | undefined) {
  const body = { pin_code: code };
  const outcome = await attempt(texts, () => visit.call(pinCodeEndpoints.validatePinCode, { body }));
  return 'refused' in outcome ? outcome.refused : undefined;
}
