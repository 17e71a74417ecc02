import { type Purchase } from './charges.model';

/** `redirect_to_url` is the page where the payer authenticates; the purchase continues with `pi_id` after it. */
export function presentSubscriptionAction({ token }: Purchase, action: { redirectUrl: string; reference: string }) {
  return { subscription_id: token, redirect_to_url: action.redirectUrl, pi_id: action.reference };
}

export function presentPaymentAction({ token }: Purchase, action: { redirectUrl: string; reference: string }) {
  return { transaction: token, redirect_to_url: action.redirectUrl, pi_id: action.reference };
}
