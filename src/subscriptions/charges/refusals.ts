import { type ChargeOutcome, type Unsent } from '../../../workflows/messages';
import { type OwnReason, type Settlement } from './charges.model';

/** Our own declines, without a request to the provider. */
export function declined(declineReason: OwnReason, declineMessage: string, declineClass: 'hard' | 'later'): Settlement {
  return { status: 'declined', declineReason, declineMessage, declineClass };
}

export const voucherGone = declined('voucher_expired', 'Voucher not found', 'hard');

export const cardMissing = declined('card_needed', 'A card is needed.', 'hard');

const accountErased = 'The account was erased.';

export const accountGone = declined('account_erased', accountErased, 'hard');

/** The outcome for an erased account without a charge: nothing was or will be charged. */
export const noCharge: ChargeOutcome = {
  outcome: 'declined',
  reason: 'account_erased',
  message: accountErased,
  decline: 'hard',
};

/** The outcome of a charge that is not opened, because more is due than the payer was shown. */
export const dearer = (dearerMinor: number): ChargeOutcome => ({
  outcome: 'declined',
  reason: 'price_changed',
  message: 'The total has changed.',
  decline: 'later',
  dearerMinor,
});

const unavailable =
  'The payment could not be made, because the payment service does not answer. It is not your card, and nothing was charged.';
const misconfigured =
  'The payment could not be made, because the payment service of this shop is not available. It is not your card, and nothing was charged.';

export const neverSent = declined('provider_unavailable', unavailable, 'later');

/**
 * The provider never reported whether it charged. The reconciliation continues to ask, and refunds the charge if it was
 * paid.
 */
export const neverAnswered = declined('provider_silent', unavailable, 'later');

/** A direct debit cannot be stopped after it was sent to the bank. The reconciliation refunds it if it is paid. */
export const debitGivenUp = declined('debit_given_up', 'The direct debit was given up.', 'later');

/** The decline of a charge that is given up before it is sent, by cause. */
export const declineOfUnsent: Record<Unsent, Settlement> = {
  withdrawn: declined('withdrawn', 'The payment was withdrawn before it was sent.', 'later'),
  unavailable: neverSent,
  misconfigured: declined('provider_misconfigured', misconfigured, 'later'),
};
