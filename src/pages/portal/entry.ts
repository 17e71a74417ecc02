import { z } from 'zod';
import { accountEndpoints } from '../../accounts/accounts.endpoints';
import { findLinkedEmail } from '../../accounts/signIn/signInLinks';
import { anyone } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type PageResponse } from '../../kit/pages/page';
import { endedNotice } from '../customer/endedSession';
import {
  authenticate,
  authenticateByLink,
  type Authentication,
  type Entry,
  linkTitle,
  type MailedLink,
  mailedLinkCard,
  mailLink,
  openSession,
  signInCard,
  socialRefusal,
} from '../customer/entry';
import { type SecondStep, secondStepOf } from '../customer/secondFactor';
import { flatten } from '../customer/registerFields';
import { createCustomer, registerCard } from '../customer/registration';
import { show } from '../layout/page';
import { type SignInByLink, signInByLinkCard } from './signInByLink';
import { addressIn, good, PortalPath, type Portal, openPortal, pageId, portalPath, text } from './frame';

const open = { area: 'customer', auth: anyone(), params: PortalPath } as const;
const LinkInPortal = PortalPath.extend({ token: z.string().min(1).max(200) });

/** Sign-in, registration and sign-out of customers. */
export const entryPages = {
  showPortalSignIn: page({
    ...open,
    method: 'get',
    path: `${portalPath}/sign-in`,
    summary: 'Sign in as a customer',
    query: z.object({ next: text, done: text, refused: text, ended: text, again: text, lang: text }),
    handler: async (visit) => {
      const { next, done, refused, ended, again } = visit.query;
      // A customer who signs in again confirms a form in another tab. Another service may refuse that sign-in.
      if (visit.caller && again !== 'true' && refused === undefined)
        return new Redirect(placeOf({ place: visit.params }, next));
      const portal = await openPortal(visit);
      return signInPage(portal, {
        next,
        notice:
          done === 'erased'
            ? good(portal.texts.t('portal.done.erased'))
            : html`${endedNotice(portal.texts, ended)} ${socialRefusal(portal, refused)}`,
      });
    },
  }),
  signInToPortal: page({
    ...open,
    method: 'post',
    path: `${portalPath}/sign-in`,
    summary: 'Signs a customer in',
    form: z.object({
      ...{ username: text, password: text, next: text },
      ...{ second_factor_challenge: text, second_factor_code: text, passkey: z.string().optional() },
    }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const { next, ...fields } = visit.form;
      const outcome = await authenticate(portal, fields);
      if ('done' in outcome) return enter(portal, outcome.done, next);
      const step = secondStepOf(outcome, fields.second_factor_challenge);
      return signInPage(portal, { next, values: fields, step, complaint: step ? step.complaint : outcome.refused });
    },
  }),
  showPortalRegistration: page({
    ...open,
    method: 'get',
    path: `${portalPath}/register`,
    summary: 'Register as a customer',
    query: z.object({ next: text, lang: text }),
    handler: async (visit) => {
      const { next } = visit.query;
      if (visit.caller) return new Redirect(placeOf({ place: visit.params }, next));
      return registrationPage(await openPortal(visit), { next });
    },
  }),
  registerInPortal: page({
    ...open,
    method: 'post',
    path: `${portalPath}/register`,
    summary: 'Registers a customer and signs in',
    form: z.object({
      full_name: text,
      username: text,
      password: text,
      date_of_birth: text,
      next: text,
      metadata: z.record(z.string(), z.string()).optional(),
    }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const { next, ...fields } = visit.form;
      const outcome = await createCustomer(portal, fields);
      if ('done' in outcome) return enter(portal, outcome.done, next);
      return registrationPage(portal, { next, values: flatten(fields), complaint: outcome.refused });
    },
  }),
  showPortalForgotten: page({
    ...open,
    method: 'get',
    path: `${portalPath}/forgotten`,
    summary: 'The form for a new password',
    handler: async (visit) => mailedLinkPage(await openPortal(visit), { link: 'forgotten' }),
  }),
  askForPasswordInPortal: page({
    ...open,
    method: 'post',
    path: `${portalPath}/forgotten`,
    summary: 'Mails a link to a new password',
    form: z.object({ email: text, next: text }),
    handler: async (visit) => askForLink(await openPortal(visit), { link: 'forgotten', ...visit.form }),
  }),
  showPortalSignInLink: page({
    ...open,
    method: 'get',
    path: `${portalPath}/sign-in-link`,
    summary: 'The form for a link to sign in without a password',
    query: z.object({ next: text, lang: text }),
    handler: async (visit) => mailedLinkPage(await openPortal(visit), { link: 'sign-in-link', next: visit.query.next }),
  }),
  askForSignInLinkInPortal: page({
    ...open,
    method: 'post',
    path: `${portalPath}/sign-in-link`,
    summary: 'Mails a link to sign in without a password',
    form: z.object({ email: text, next: text }),
    handler: async (visit) => askForLink(await openPortal(visit), { link: 'sign-in-link', ...visit.form }),
  }),
  showSignInByLink: page({
    ...open,
    params: LinkInPortal,
    method: 'get',
    path: `${portalPath}/sign-in/{token}`,
    summary: 'The page behind a sign-in link',
    query: z.object({ next: text, lang: text }),
    handler: async (visit) => {
      const { token, merchant_uuid: merchant } = visit.params;
      const email = await findLinkedEmail(token, merchant);
      return signInByLinkPage(await openPortal(visit), { token, email, ...visit.query });
    },
  }),
  signInByLinkInPortal: page({
    ...open,
    params: LinkInPortal,
    method: 'post',
    path: `${portalPath}/sign-in/{token}`,
    summary: 'Signs a customer in by a link',
    form: z.object({ next: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const { token } = visit.params;
      const { next } = visit.form;
      const outcome = await authenticateByLink(portal, token);
      if ('done' in outcome) return enter(portal, outcome.done, next);
      const step = secondStepOf(outcome, undefined);
      if (step) return signInPage(portal, { next, step });
      if (outcome.error.code !== 'sign_in_link_invalid') throw outcome.error;
      return signInByLinkPage(portal, { token, email: undefined, next });
    },
  }),
  signOutOfPortal: page({
    ...open,
    method: 'post',
    path: `${portalPath}/sign-out`,
    summary: 'Ends the session',
    handler: async (visit) => {
      await visit.call(accountEndpoints.logout);
      return new Redirect(addressIn({ place: visit.params }, 'sign-in'), { signOut: true });
    },
  }),
};

type EntryMessage = Pick<Entry, 'values' | 'complaint'>;

interface EntryOptions extends EntryMessage {
  /** The page that the visitor requested before the sign-in. */
  next?: string | undefined;
}

async function signInPage(
  portal: Portal,
  { next = '', notice = html``, ...entry }: EntryOptions & { notice?: Html; step?: SecondStep | undefined },
): Promise<PageResponse> {
  const { t } = portal.texts;
  const card = await signInCard(portal, {
    ...entry,
    action: addressIn(portal, 'sign-in'),
    target: pageId,
    comeBackTo: addressIn(portal, 'sign-in'),
    others: html`<a href="${addressIn(portal, 'sign-in-link', withNext(next))}">${t('paywall.signInLink')}</a> ·
      <a href="${addressIn(portal, 'forgotten')}">${t('paywall.forgotten')}</a>`,
    kept: html`<input type="hidden" name="next" value="${next}" />`,
  });
  const content = html`${notice} ${card}
  ${otherLink(portal, { text: t('paywall.noAccount'), path: 'register', name: t('paywall.register'), next })}`;
  return showEntry(portal, t('common.signIn'), content, entry);
}

async function registrationPage(portal: Portal, { next = '', ...entry }: EntryOptions): Promise<PageResponse> {
  const { t } = portal.texts;
  const card = await registerCard(portal, {
    ...entry,
    action: addressIn(portal, 'register'),
    target: pageId,
    comeBackTo: addressIn(portal, 'sign-in'),
    kept: html`<input type="hidden" name="next" value="${next}" />`,
  });
  const content = html`${card}
  ${otherLink(portal, { text: t('paywall.haveAccount'), path: 'sign-in', name: t('common.signIn'), next })}`;
  return showEntry(portal, t('paywall.registerTitle'), content, entry);
}

interface OtherWay {
  text: string;
  path: string;
  name: string;
  next: string;
}

/** The link between sign-in and registration. It keeps the requested page. */
function otherLink(portal: Portal, { text: question, path, name, next }: OtherWay): Html {
  const to = addressIn(portal, path, withNext(next));
  return html`<p class="centred">${question} <a href="${to}">${name}</a></p>`;
}

const withNext = (next: string) => (next === '' ? {} : { next });

async function askForLink(
  portal: Portal,
  { link, email, next }: { link: MailedLink; email?: string | undefined; next?: string | undefined },
): Promise<PageResponse> {
  const outcome = await mailLink(portal, { link, email, next: placeOf(portal, next) });
  if ('done' in outcome) return mailedLinkPage(portal, { link, isSent: true });
  return mailedLinkPage(portal, { link, next, values: { email }, complaint: outcome.refused });
}

function signInByLinkPage(portal: Portal, link: SignInByLink): PageResponse {
  return showEntry(portal, portal.texts.t('common.signIn'), signInByLinkCard(portal, link), {});
}

interface LinkPage extends EntryOptions {
  link: MailedLink;
  isSent?: boolean;
}

function mailedLinkPage(portal: Portal, { next = '', ...entry }: LinkPage): PageResponse {
  const { t } = portal.texts;
  const hiddenNext = html`<input type="hidden" name="next" value="${next}" />`;
  const card = mailedLinkCard(portal, {
    ...entry,
    kept: hiddenNext,
    action: addressIn(portal, entry.link),
    target: pageId,
  });
  const content = html`${card}
    <p class="centred"><a href="${addressIn(portal, 'sign-in')}">${t('common.back')}</a></p>`;
  return showEntry(portal, linkTitle(portal.texts, entry.link), content, entry);
}

function showEntry(
  { visit, theme, texts }: Portal,
  title: string,
  content: Html,
  { complaint }: EntryMessage,
): PageResponse {
  const heading = html`<h1 class="centred">${texts.t('portal.name')}</h1>`;
  const whole = html`<div class="stack" id="${pageId}">${heading} ${content}</div>`;
  return show(visit, { title, theme, isNarrow: true }, whole, complaint ? { status: 422 } : {});
}

async function enter(portal: Portal, entered: Authentication, next: string | undefined): Promise<Redirect> {
  const { options } = await openSession(portal, entered);
  return new Redirect(placeOf(portal, next), options);
}

/** The address in `next`, if it is a page of this portal or of the merchant's paywall. */
function placeOf(at: Pick<Portal, 'place'>, next = ''): string {
  const start = addressIn(at);
  const starts = [`${start}/`, `${start}?`, `/paywall/${at.place.merchant_uuid}/`];
  return starts.some((known) => next.startsWith(known)) ? next : start;
}
