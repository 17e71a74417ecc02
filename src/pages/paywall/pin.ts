import { type PageResponse, type PageResponseOptions } from '../../kit/pages/page';
import * as pinForms from '../customer/pinForms';
import { address, type Paywall, stage, stageId } from './parts';

/** The form for the mailed PIN code, if the merchant requires one before the content. */
export function pinStage(paywall: Paywall, state: pinForms.PinState, options: PageResponseOptions = {}): PageResponse {
  const at = { action: address(paywall, 'pin'), target: stageId };
  return stage(paywall, pinForms.pinForms(paywall, state, at), options);
}

export async function mailPin(paywall: Paywall): Promise<PageResponse> {
  const complaint = await pinForms.sendPin(paywall);
  if (!complaint) return pinStage(paywall, { isSent: true });
  return pinStage(paywall, { complaint, isSent: true }, { status: 422 });
}

/** The refused form. Undefined if the code was correct. */
export async function checkPin(paywall: Paywall, code: string | undefined): Promise<PageResponse | undefined> {
  const complaint = await pinForms.checkPin(paywall, code);
  return complaint && pinStage(paywall, { complaint, isSent: true }, { status: 422 });
}
