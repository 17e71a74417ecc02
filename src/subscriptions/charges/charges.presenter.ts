import { type Purchase } from './charges.model';

/** `redirect_to_url` is the page where the payer authenticates. After it, the purchase continues with `pi_id`. */
export function presentSubscriptionAction({ token }: Purchase, action: { redirectUrl: string; reference: string }) {
  return { subscription_id: token, redirect_to_url: action.redirectUrl, pi_id: action.reference };
}

export function presentPaymentAction({ token }: Purchase, action: { redirectUrl: string; reference: string }) {
  return { transaction: token, redirect_to_url: action.redirectUrl, pi_id: action.reference };
}
