import { z } from 'zod';
import { accountEndpoints } from '../../accounts/endpoints';
import { accessEndpoints } from '../../items/access/endpoints';
import { anyone, consumer } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { formId } from '../../kit/form';
import { page, Redirect, Shown, type Visit } from '../../kit/pages/page';
import { type Authentication, fromElsewhere, openSession } from '../customer/entry';
import { askForPassword, forgottenStage, register, registerStage, signIn, signInStage } from './account';
import { checkoutStage } from './checkout';
import { itemContent } from './content';
import { address, openPaywall, type Paywall, type Place, withToken } from './parts';
import { checkPin, mailPin } from './pin';
import { buy, followPurchase } from './purchase';
import { currentStage, type Wanted } from './stages';

/** The hosted paywall of an item (decisions 11): one address, whose middle each step takes the place of. */

const text = z.string().max(2000).optional();
const params = z.object({ merchant_uuid: z.uuid().transform((uuid) => uuid.toLowerCase()), item_id: formId() });
const path = '/paywall/{merchant_uuid}/{item_id}';

/** `do`: which button was pressed; its address says what for. */
const choice = {
  do: text,
  fee: text,
  voucher_code: text,
  gift: text,
  receiver_email: text,
  card: text,
  card_name: text,
};
const cardFields = { number: text, exp_month: text, exp_year: text, cvv: text };

const open_ = { area: 'customer', auth: anyone(), params, isEmbeddable: true } as const;
const signedIn = {
  ...open_,
  auth: consumer(),
  signInAt: (visit: Visit & { params: Place }) =>
    withToken(visit, address({ place: visit.params }, '', { step: 'sign-in' })),
} as const;

export const paywallPages = {
  showPaywall: page({
    ...open_,
    method: 'get',
    path,
    summary: 'The paywall of an item, or its content',
    query: z.object({ step: text, fee: text, gift: text, lang: text }),
    handler: async (visit) => firstStage(await openPaywall(visit), visit.query),
  }),
  registerAtPaywall: page({
    ...open_,
    method: 'post',
    path: `${path}/register`,
    summary: 'Register, and go on',
    form: z.object({
      full_name: text,
      username: text,
      password: text,
      date_of_birth: text,
      gift: text,
      metadata: z.record(z.string(), z.string()).optional(),
    }),
    handler: async (visit) => {
      const paywall = await openPaywall(visit);
      return enter(paywall, await register(paywall, visit.form as never), visit.form);
    },
  }),
  signInAtPaywall: page({
    ...open_,
    method: 'post',
    path: `${path}/sign-in`,
    summary: 'Sign in, and go on',
    form: z.object({ username: text, password: text, gift: text }),
    handler: async (visit) => {
      const paywall = await openPaywall(visit);
      return enter(paywall, await signIn(paywall, visit.form), visit.form);
    },
  }),
  continueFromSocial: page({
    ...open_,
    method: 'post',
    path: `${path}/session`,
    summary: 'Go on with the session that a sign-in elsewhere has opened',
    form: z.object({ token: z.string().max(4000), expires: text }),
    handler: async (visit) => {
      return enter(await openPaywall(visit), fromElsewhere(visit.form), {});
    },
  }),
  signOutAtPaywall: page({
    ...open_,
    method: 'post',
    path: `${path}/sign-out`,
    summary: 'End the session',
    handler: async (visit) => {
      await visit.call(accountEndpoints.logout);
      return new Redirect(withToken(visit, address({ place: visit.params })), { signOut: true });
    },
  }),
  askForPasswordAtPaywall: page({
    ...open_,
    method: 'post',
    path: `${path}/forgotten`,
    summary: 'Mail a link to a new password',
    form: z.object({ email: text }),
    handler: async (visit) => askForPassword(await openPaywall(visit), visit.form.email),
  }),
  mailPinAtPaywall: page({
    ...signedIn,
    method: 'post',
    path: `${path}/pin/mail`,
    summary: 'Mail a pin code',
    handler: async (visit) => mailPin(await openPaywall(visit)),
  }),
  enterPinAtPaywall: page({
    ...signedIn,
    method: 'post',
    path: `${path}/pin`,
    summary: 'Enter the pin code',
    form: z.object({ pin_code: text }),
    handler: async (visit) => {
      const paywall = await openPaywall(visit);
      return (await checkPin(paywall, visit.form.pin_code)) ?? currentStage(paywall);
    },
  }),
  showPriceAtPaywall: page({
    ...signedIn,
    method: 'post',
    path: `${path}/price`,
    summary: 'Another price or voucher, and what is to be paid then',
    form: z.object({ ...choice, ...cardFields }),
    cardNumberFields: ['number'],
    handler: async (visit) => checkoutStage(await openPaywall(visit), visit.form),
  }),
  buyAtPaywall: page({
    ...signedIn,
    method: 'post',
    path: `${path}/pay`,
    summary: 'Buy',
    form: z.object({ ...choice, ...cardFields }),
    cardNumberFields: ['number'],
    handler: async (visit) => buy(await openPaywall(visit), visit.form),
  }),
  followPurchaseAtPaywall: page({
    ...signedIn,
    method: 'get',
    path: `${path}/purchase`,
    summary: 'Where a submitted purchase is',
    query: z.object({
      of: z.string().max(100),
      after: z.string().regex(/^\d{1,15}$/),
      gift: text,
      fee: text,
      voucher_code: text,
    }),
    handler: async (visit) => followPurchase(await openPaywall(visit), visit.query),
  }),
  showItemContent: page({
    ...signedIn,
    method: 'get',
    path: `${path}/content`,
    summary: 'The content of an item that the visitor has access to, for a frame',
    handler: async (visit) => {
      const access = await visit.call(accessEndpoints.checkAccess, { params: { id: visit.params.item_id } });
      if (!('item' in access)) throw new AppError('access_not_found');
      return new Shown(itemContent(access.item), { isForeign: true });
    },
  }),
};

function firstStage(paywall: Paywall, wanted: Wanted): Promise<Shown> | Shown {
  const { step, gift } = wanted;
  if (paywall.visit.caller) return currentStage(paywall, wanted);
  if (step === 'register') return registerStage(paywall, { gift });
  if (step === 'sign-in') return signInStage(paywall, { gift });
  if (step === 'forgotten') return forgottenStage(paywall);
  return currentStage(paywall, wanted);
}

/** The session's cookie, and what its account sees: without a script a page of its own, so that a reload asks nothing. */
async function enter(
  paywall: Paywall,
  entered: Authentication | Shown,
  { gift }: { gift?: string | undefined },
): Promise<Shown | Redirect> {
  if (entered instanceof Shown) return entered;
  const { visit, place } = paywall;
  const { own, options } = await openSession(paywall, entered);
  if (!visit.isFragment)
    return new Redirect(withToken(visit, address(paywall, '', gift === 'true' ? { gift } : {})), options);
  return currentStage(await openPaywall({ ...own, params: place }), { gift }, options);
}
