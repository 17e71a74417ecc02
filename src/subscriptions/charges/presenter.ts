import { type Subscription } from '../model';

/** Where the payer goes to authenticate, and what to send back to go on (wire C.4). */
export function presentAction(row: Subscription, action: { redirectUrl: string; reference: string }) {
  return { subscription_id: row.token, redirect_to_url: action.redirectUrl, pi_id: action.reference };
}
