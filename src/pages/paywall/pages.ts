import { z } from 'zod';
import { accountEndpoints } from '../../accounts/accounts.endpoints';
import { openByPass } from '../../entitlements/dataCaptures';
import { accessEndpoints } from '../../entitlements/entitlements.endpoints';
import { assetEndpoints } from '../../items/assets.endpoints';
import { anyone, consumer } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { formId } from '../../kit/form';
import { page, Redirect, PageResponse, type Visit } from '../../kit/pages/page';
import { regionQuery, saveBilling, showRegion } from '../customer/billing';
import { nextQuery } from '../customer/endedSession';
import { type Authentication, openSession } from '../customer/entry';
import { textsFor } from '../layout/texts';
import { askForLink, mailedLinkStage, register, registerStage, signIn, signInStage } from './account';
import { saveBirthDate } from './birthDate';
import { capturedStage, leaveAddress, type Left } from './capture';
import { checkoutStage } from './checkout';
import { codeContent, codeStage, enterCode, isOpenedByCode } from './codes';
import { itemContent } from './content';
import {
  address,
  choiceQuery,
  type EarlyChoice,
  openPaywall,
  type Paywall,
  type PaywallPath,
  withToken,
} from './parts';
import { cardFields, choice, early, submitted, text } from './fields';
import { checkPin, mailPin } from './pin';
import { answerAuthentication, followPurchase } from './following';
import { buy } from './purchase';
import { currentStage, type StepQuery } from './stages';
import { count } from './visits';

/** The hosted paywall of an item. All steps have one address; each step replaces the content of the page. */

const params = z.object({ merchant_uuid: z.uuid().transform((uuid) => uuid.toLowerCase()), item_id: formId() });
const path = '/paywall/{merchant_uuid}/{item_id}';

const open_ = { area: 'customer', auth: anyone(), params, isEmbeddable: true } as const;
const signedIn = {
  ...open_,
  auth: consumer(),
  signInAt: (visit: Visit & { params: PaywallPath }) =>
    withToken(visit, address({ place: visit.params }, '', signInQuery(visit))),
} as const;

/** The sign-in, with the choice in the address of the step that sent the form. */
function signInQuery({ returnTo, method }: Visit): Record<string, string> {
  const { fee, gift } = Object.fromEntries(new URLSearchParams(returnTo?.split('?')[1]));
  const { ended } = nextQuery({ returnTo, method });
  return { step: 'sign-in', ...choiceQuery({ fee, gift }), ...(ended !== undefined && { ended }) };
}

export const paywallPages = {
  showPaywall: page({
    ...open_,
    method: 'get',
    path,
    summary: 'The paywall of an item, or its content',
    query: z.object({ step: text, fee: text, gift: text, pass: text, refused: text, ended: text, lang: text }),
    handler: async (visit) => firstStage(await openPaywall(visit), visit.query),
  }),
  registerAtPaywall: page({
    ...open_,
    method: 'post',
    path: `${path}/register`,
    summary: 'Registers a customer',
    form: z.object({
      full_name: text,
      username: text,
      password: text,
      date_of_birth: text,
      ...early,
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
    summary: 'Signs a customer in',
    form: z.object({
      ...{ username: text, password: text, ...early },
      ...{ second_factor_challenge: text, second_factor_code: text, passkey: z.string().optional() },
    }),
    handler: async (visit) => {
      const paywall = await openPaywall(visit);
      return enter(paywall, await signIn(paywall, visit.form), visit.form);
    },
  }),
  signOutAtPaywall: page({
    ...open_,
    method: 'post',
    path: `${path}/sign-out`,
    summary: 'Ends the session',
    handler: async (visit) => {
      await visit.call(accountEndpoints.logout);
      return new Redirect(withToken(visit, address({ place: visit.params })), { signOut: true });
    },
  }),
  leaveAddressAtPaywall: page({
    ...open_,
    method: 'post',
    path: `${path}/data-capture`,
    summary: 'Opens an item for a name and an address',
    form: z.object({ email: text, full_name: text, company: text }),
    handler: async (visit) => {
      const paywall = await openPaywall(visit);
      const left = await leaveAddress(paywall, visit.form);
      return left instanceof PageResponse ? left : showCaptured(paywall, left);
    },
  }),
  askForPasswordAtPaywall: page({
    ...open_,
    method: 'post',
    path: `${path}/forgotten`,
    summary: 'Mails a link to a new password',
    form: z.object({ email: text, ...early }),
    handler: async (visit) => askForLink(await openPaywall(visit), 'forgotten', visit.form),
  }),
  askForSignInLinkAtPaywall: page({
    ...open_,
    method: 'post',
    path: `${path}/sign-in-link`,
    summary: 'Mails a link to sign in without a password',
    form: z.object({ email: text, ...early }),
    handler: async (visit) => askForLink(await openPaywall(visit), 'sign-in-link', visit.form),
  }),
  enterCodeAtPaywall: page({
    ...open_,
    method: 'post',
    path: `${path}/code`,
    summary: 'Opens an item with an access code',
    form: z.object({ code: text, device: text }),
    handler: async (visit) => enterCode(await openPaywall(visit), visit.form),
  }),
  showCodeContent: page({
    ...open_,
    method: 'get',
    path: `${path}/code-content`,
    summary: 'The content of an item that an access code opened, for a frame',
    query: z.object({ opened: text }),
    isForFrames: true,
    handler: async (visit) => codeContent(await openPaywall(visit), visit.query.opened),
  }),
  mailPinAtPaywall: page({
    ...signedIn,
    method: 'post',
    path: `${path}/pin/mail`,
    summary: 'Mails a PIN code',
    handler: async (visit) => mailPin(await openPaywall(visit)),
  }),
  enterPinAtPaywall: page({
    ...signedIn,
    method: 'post',
    path: `${path}/pin`,
    summary: 'Checks the PIN code',
    form: z.object({ pin_code: text }),
    handler: async (visit) => {
      const paywall = await openPaywall(visit);
      return (await checkPin(paywall, visit.form.pin_code)) ?? currentStage(paywall);
    },
  }),
  tellBirthDateAtPaywall: page({
    ...signedIn,
    method: 'post',
    path: `${path}/birth-date`,
    summary: 'Saves the date of birth',
    form: z.object({ date_of_birth: text }),
    handler: async (visit) => {
      const refused = await saveBirthDate(await openPaywall(visit), visit.form.date_of_birth);
      if (refused) return refused;
      // The caller of this visit was read before the date of birth was saved.
      const own = await visit.signedIn(visit.request.bearer ?? '');
      return currentStage(await openPaywall({ ...own, params: visit.params }));
    },
  }),
  showPriceAtPaywall: page({
    ...signedIn,
    method: 'post',
    path: `${path}/price`,
    summary: 'The checkout with another price or voucher',
    form: z.object({ ...choice, ...cardFields }),
    cardNumberFields: ['number', 'iban'],
    handler: async (visit) => {
      const paywall = await openPaywall(visit);
      const complaint = await saveBilling(visit, paywall.texts, visit.form);
      const isSameForm = visit.form.do === undefined;
      return checkoutStage(paywall, visit.form, { isSameForm, ...(complaint && { complaint }) });
    },
  }),
  showRegionAtPaywall: page({
    ...signedIn,
    method: 'get',
    path: `${path}/region`,
    summary: 'The region field of a country in the billing address',
    query: z.object(regionQuery),
    handler: (visit) => showRegion(visit, textsFor(visit), visit.query.billing_country),
  }),
  buyAtPaywall: page({
    ...signedIn,
    method: 'post',
    path: `${path}/pay`,
    summary: 'Submits the purchase',
    form: z.object({ ...choice, ...cardFields }),
    cardNumberFields: ['number', 'iban'],
    handler: async (visit) => buy(await openPaywall(visit), visit.form),
  }),
  followPurchaseAtPaywall: page({
    ...signedIn,
    method: 'get',
    path: `${path}/purchase`,
    summary: 'The state of a submitted purchase',
    query: z.object({ ...submitted, seen: text, answered: text }),
    handler: async (visit) => followPurchase(await openPaywall(visit), visit.query),
  }),
  answerAuthenticationAtPaywall: page({
    ...signedIn,
    method: 'post',
    path: `${path}/answered`,
    summary: 'Continues a purchase after the payer’s authentication',
    form: z.object({ ...submitted, pi_id: z.string().max(100) }),
    handler: async (visit) => answerAuthentication(await openPaywall(visit), visit.form),
  }),
  showItemContent: page({
    ...open_,
    method: 'get',
    path: `${path}/content`,
    summary: 'The content of an item for a visitor with access, for a frame',
    query: z.object({ pass: text }),
    isForFrames: true,
    handler: async (visit) => {
      if (!visit.caller) return contentForPass(visit, visit.query.pass);
      const access = await visit.call(accessEndpoints.checkAccess, { params: { id: visit.params.item_id } });
      if (!('item' in access)) throw new AppError('access_not_found');
      await count({ visit, item: access.item }, 'playback_start');
      return new PageResponse(itemContent(access.item), { isForeign: true });
    },
  }),
};

async function firstStage(paywall: Paywall, wanted: StepQuery): Promise<PageResponse> {
  const { step, gift, fee, ended } = wanted;
  if (step === 'code' && isOpenedByCode(paywall)) return codeStage(paywall);
  if (paywall.visit.caller) return currentStage(paywall, wanted);
  if (step === 'register') {
    await count(paywall, 'register_start');
    return registerStage(paywall, { gift, fee });
  }
  if (step === 'sign-in') return signInStage(paywall, { gift, fee, ended });
  if (step === 'forgotten' || step === 'sign-in-link') return mailedLinkStage(paywall, { link: step, gift, fee });
  return currentStage(paywall, wanted);
}

/** Puts the pass into the URL, so that a reload shows the content again and does not repeat the form. */
function showCaptured(paywall: Paywall, { pass }: Left): Promise<PageResponse> | PageResponse | Redirect {
  const { visit } = paywall;
  if (pass === undefined)
    return visit.isFragment ? currentStage(paywall) : new Redirect(withToken(visit, address(paywall)));
  const target = withToken(visit, address(paywall, '', { pass }));
  if (!visit.isFragment) return new Redirect(target);
  return capturedStage(paywall, pass, { headers: { 'HX-Replace-Url': target } });
}

async function contentForPass(visit: Visit & { params: PaywallPath }, pass: string | undefined): Promise<PageResponse> {
  if (pass === undefined) throw new AppError('access_not_found');
  const { merchant_uuid: merchantUuid, item_id: itemId } = visit.params;
  const item = await visit.call(assetEndpoints.getItem, { params: { merchant_uuid: merchantUuid, id: itemId } });
  const content = await openByPass(pass, { merchantUuid, itemId }, visit.request);
  return new PageResponse(itemContent({ ...item, content }), { isForeign: true });
}

/** Sets the session cookie. Without a script it redirects, so that a reload does not repeat the form. */
async function enter(
  paywall: Paywall,
  entered: Authentication | PageResponse,
  chosen: EarlyChoice,
): Promise<PageResponse | Redirect> {
  if (entered instanceof PageResponse) return entered;
  const { visit, place } = paywall;
  const { own, options } = await openSession(paywall, entered);
  const kept = choiceQuery(chosen);
  const next = withToken(visit, address(paywall, '', kept));
  if (!visit.isFragment) return new Redirect(next, options);
  const headers = { 'HX-Replace-Url': next };
  return currentStage(await openPaywall({ ...own, params: place }), kept, { ...options, headers });
}
