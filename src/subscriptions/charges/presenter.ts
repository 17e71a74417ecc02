import { type Purchase } from './model';

/** Where the payer goes to authenticate, and what to send back to go on (wire C.4). */
export function presentSubscriptionAction({ token }: Purchase, action: { redirectUrl: string; reference: string }) {
  return { subscription_id: token, redirect_to_url: action.redirectUrl, pi_id: action.reference };
}

export function presentPaymentAction({ token }: Purchase, action: { redirectUrl: string; reference: string }) {
  return { transaction: token, redirect_to_url: action.redirectUrl, pi_id: action.reference };
}
