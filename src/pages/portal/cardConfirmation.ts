import { z } from 'zod';
import { type AppError } from '../../kit/errors';
import { page, Redirect, type PageResponse } from '../../kit/pages/page';
import { checkPin, pinForms, sendPin, type PinState } from '../customer/pinForms';
import { addressIn, inPortal, openPortal, pageId, place, type Portal, portalPath, showInPortal, text } from './frame';

/**
 * The first use of a saved card in a browser: a mailed code confirms it. After the code, the customer is back on the page of
 * the change and makes it again.
 */

const confirmation = {
  ...inPortal,
  method: 'post',
  params: z.object({ ...place, id: z.string().max(64) }),
} as const;
const codePath = `${portalPath}/subscriptions/{id}/card-code`;

/** The page of the change. `fee`: the plan that was chosen. */
interface ConfirmedChange {
  id: string;
  at?: string | undefined;
  fee?: string | undefined;
}

export const cardConfirmationPages = {
  mailCardCodeInPortal: page({
    ...confirmation,
    path: `${codePath}/mail`,
    summary: 'Mails the code that confirms a saved card',
    form: z.object({ at: text, fee: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const complaint = await sendPin(portal);
      const change = { ...visit.form, id: visit.params.id };
      return confirmationPage(portal, change, { isSent: true, ...(complaint && { complaint }) }, complaint ? 422 : 200);
    },
  }),
  checkCardCodeInPortal: page({
    ...confirmation,
    path: codePath,
    summary: 'Checks the code, and returns to the change',
    form: z.object({ at: text, fee: text, pin_code: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const { pin_code: code, ...of } = visit.form;
      const change = { ...of, id: visit.params.id };
      const complaint = await checkPin(portal, code);
      if (complaint) return confirmationPage(portal, change, { isSent: true, complaint }, 422);
      return new Redirect(backTo(portal, change));
    },
  }),
};

function backTo(portal: Portal, { id, at, fee }: ConfirmedChange): string {
  if (at === 'payment-method') return addressIn(portal, `subscriptions/${id}/payment-method`);
  if (at === 'switch') return addressIn(portal, `subscriptions/${id}/switch`, fee === undefined ? {} : { fee });
  return addressIn(portal, `subscriptions/${id}`);
}

/** The page that asks for the code, if a change was refused because of it. */
export function findConfirmation(portal: Portal, error: AppError, change: ConfirmedChange): PageResponse | undefined {
  if (error.code !== 'card_confirmation_required') return undefined;
  return confirmationPage(portal, change, { why: portal.texts.t('paywall.pinForCard') }, 409);
}

function confirmationPage(
  portal: Portal,
  change: ConfirmedChange,
  state: PinState,
  status: 200 | 409 | 422,
): PageResponse {
  const { t } = portal.texts;
  const { id, at, fee } = change;
  const hidden = { ...(at !== undefined && { at }), ...(fee !== undefined && { fee }) };
  const back = { address: backTo(portal, change), text: t('portal.sections.subscriptions') };
  const position = { section: 'subscriptions', title: t('paywall.pinTitle'), back } as const;
  const action = addressIn(portal, `subscriptions/${id}/card-code`);
  return showInPortal(portal, position, pinForms(portal, state, { action, target: pageId, hidden }), { status });
}
