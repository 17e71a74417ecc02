import { z } from 'zod';
import { accountEndpoints } from '../../accounts/accounts.endpoints';
import { anyone } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type PageResponse } from '../../kit/pages/page';
import {
  authenticate,
  type Authentication,
  type Entry,
  forgottenCard,
  mailNewPassword,
  openSession,
  signInCard,
  socialRefusal,
} from '../customer/entry';
import { type SecondStep, secondStepOf } from '../customer/secondFactor';
import { flatten } from '../customer/registerFields';
import { createCustomer, registerCard } from '../customer/registration';
import { show } from '../layout/page';
import { addressIn, good, PortalPath, type Portal, openPortal, pageId, portalPath, text } from './frame';

const open = { area: 'customer', auth: anyone(), params: PortalPath } as const;

/** Sign-in, registration and sign-out of customers. */
export const entryPages = {
  showPortalSignIn: page({
    ...open,
    method: 'get',
    path: `${portalPath}/sign-in`,
    summary: 'Sign in as a customer',
    query: z.object({ next: text, done: text, refused: text, lang: text }),
    handler: async (visit) => {
      const { next, done, refused } = visit.query;
      if (visit.caller) return new Redirect(placeOf({ place: visit.params }, next));
      const portal = await openPortal(visit);
      return signInPage(portal, {
        next,
        told: done === 'erased' ? good(portal.texts.t('portal.done.erased')) : socialRefusal(portal, refused),
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
      ...{ second_factor_challenge: text, second_factor_code: text },
    }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const { next, ...fields } = visit.form;
      const tried = await authenticate(portal, fields);
      if ('done' in tried) return enter(portal, tried.done, next);
      const step = secondStepOf(tried, fields.second_factor_challenge);
      return signInPage(portal, { next, values: fields, step, complaint: step ? step.complaint : tried.refused });
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
    summary: 'Registers a customer, and signs in',
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
      const tried = await createCustomer(portal, fields);
      if ('done' in tried) return enter(portal, tried.done, next);
      return registrationPage(portal, { next, values: flatten(fields), complaint: tried.refused });
    },
  }),
  showPortalForgotten: page({
    ...open,
    method: 'get',
    path: `${portalPath}/forgotten`,
    summary: 'Ask for a new password',
    handler: async (visit) => forgottenPage(await openPortal(visit), {}),
  }),
  askForPasswordInPortal: page({
    ...open,
    method: 'post',
    path: `${portalPath}/forgotten`,
    summary: 'Mail a link to a new password',
    form: z.object({ email: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const { email } = visit.form;
      const tried = await mailNewPassword(portal, email);
      if ('done' in tried) return forgottenPage(portal, { isSent: true });
      return forgottenPage(portal, { values: { email }, complaint: tried.refused });
    },
  }),
  signOutOfPortal: page({
    ...open,
    method: 'post',
    path: `${portalPath}/sign-out`,
    summary: 'End the session',
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
  { next = '', told = html``, ...entry }: EntryOptions & { told?: Html; step?: SecondStep | undefined },
): Promise<PageResponse> {
  const { t } = portal.texts;
  const card = await signInCard(portal, {
    ...entry,
    action: addressIn(portal, 'sign-in'),
    target: pageId,
    comeBackTo: addressIn(portal, 'sign-in'),
    forgotten: html`<a href="${addressIn(portal, 'forgotten')}">${t('paywall.forgotten')}</a>`,
    kept: html`<input type="hidden" name="next" value="${next}" />`,
  });
  const content = html`${told} ${card}
  ${otherWay(portal, { text: t('paywall.noAccount'), path: 'register', name: t('paywall.register'), next })}`;
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
  ${otherWay(portal, { text: t('paywall.haveAccount'), path: 'sign-in', name: t('common.signIn'), next })}`;
  return showEntry(portal, t('paywall.registerTitle'), content, entry);
}

interface OtherWay {
  text: string;
  path: string;
  name: string;
  next: string;
}

/** The link between sign-in and registration keeps the requested page. */
function otherWay(portal: Portal, { text: asked, path, name, next }: OtherWay): Html {
  const to = addressIn(portal, path, next === '' ? {} : { next });
  return html`<p class="centred">${asked} <a href="${to}">${name}</a></p>`;
}

function forgottenPage(portal: Portal, entry: EntryMessage & { isSent?: boolean }): PageResponse {
  const { t } = portal.texts;
  const card = forgottenCard(portal, { ...entry, action: addressIn(portal, 'forgotten'), target: pageId });
  const content = html`${card}
    <p class="centred"><a href="${addressIn(portal, 'sign-in')}">${t('common.back')}</a></p>`;
  return showEntry(portal, t('paywall.forgotten'), content, entry);
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

/** Only a page of this portal is accepted as `next`. */
function placeOf(at: Pick<Portal, 'place'>, next = ''): string {
  const start = addressIn(at);
  return next === start || next.startsWith(`${start}/`) || next.startsWith(`${start}?`) ? next : start;
}
