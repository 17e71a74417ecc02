import { createHash } from 'node:crypto';
import { z } from 'zod';
import { accountEndpoints } from '../../accounts/accounts.endpoints';
import { brandingEndpoints } from '../../branding/branding.endpoints';
import { consumer } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { type PageResponse, type PageResponseOptions, type Visit } from '../../kit/pages/page';
import { type PaymentForm } from '../../subscriptions/paymentForm';
import { type CustomerVisit } from '../customer/entry';
import { nextQuery } from '../customer/endedSession';
import { listening, refreshing } from '../customer/listening';
import { merchantTexts } from '../customer/merchantTexts';
import { form } from '../layout/forms';
import { icon, type IconName } from '../layout/icons';
import { breakable } from '../layout/lists';
import { show } from '../layout/page';
import { type Theme, themeOf } from '../layout/theme';

/** The common parts of the portal: branding, authentication and navigation. */

const merchant_uuid = z.uuid().transform((uuid) => uuid.toLowerCase());
export const place = { merchant_uuid };
export const PortalPath = z.object(place);
export type PortalPath = z.output<typeof PortalPath>;

/** Unchecked text from a form or a query. The endpoints validate it. */
export const text = z.string().max(2000).optional();

export const portalPath = '/portal/{merchant_uuid}';

export const inPortal = {
  area: 'customer',
  auth: consumer(),
  params: PortalPath,
  signInAt: ({ params, returnTo, method }: Visit & { params: PortalPath }) =>
    addressIn({ place: params }, 'sign-in', nextQuery({ returnTo, method })),
} as const;

export interface Portal extends CustomerVisit {
  theme: Theme;
  /** The address of the signed-in account; undefined without one, and for a part of a page. */
  email: string | undefined;
}

export async function openPortal(visit: Visit & { params: PortalPath }): Promise<Portal> {
  const { merchant_uuid } = visit.params;
  const brand = await visit.call(brandingEndpoints.getDefaultBrand, { params: { merchant_uuid } });
  const isNamed = visit.caller !== undefined && !visit.isFragment;
  const email = isNamed ? (await visit.call(accountEndpoints.getAccount)).email : undefined;
  const texts = await merchantTexts(visit, visit.caller?.merchantId);
  return { visit, place: { merchant_uuid }, texts, theme: themeOf(brand), email };
}

/** `/portal/<merchant>` and the paths below it. */
export function addressIn(
  { place: { merchant_uuid: merchant } }: Pick<Portal, 'place'>,
  path = '',
  query: Record<string, string> = {},
): string {
  const parameters = new URLSearchParams(query).toString();
  const whole = `/portal/${merchant}${path === '' ? '' : `/${path}`}`;
  return parameters === '' ? whole : `${whole}?${parameters}`;
}

/** The paywall of an item. */
export const paywallOf = ({ place: { merchant_uuid: merchant } }: Pick<Portal, 'place'>, itemId: number) =>
  `/paywall/${merchant}/${itemId}`;

/** The id of the element that the response to a form replaces. */
export const pageId = 'page';

const sections = {
  subscriptions: '',
  purchases: 'purchases',
  receipts: 'receipts',
  card: 'card',
  gifts: 'gifts',
  profile: 'profile',
  security: 'security',
  data: 'data',
} as const;
const icons = {
  subscriptions: 'subscriptions',
  purchases: 'bag',
  receipts: 'receipt',
  card: 'transactions',
  gifts: 'gift',
  profile: 'user',
  security: 'shield',
  data: 'data',
} as const satisfies Record<SectionName, IconName>;
type SectionName = keyof typeof sections;

export interface Position {
  section: SectionName;
  title: string;
  /** The link to the previous page. */
  back?: { address: string; text: string };
  /** The confirmation or the notice above the content. */
  notice?: Html | undefined;
  /** The card provider's form, if the page has it. */
  paymentForm?: PaymentForm | undefined;
}

/** Shows the content in the frame of the portal. */
export function showInPortal(
  portal: Portal,
  position: Position,
  content: Html,
  options: PageResponseOptions = {},
): PageResponse {
  const { visit, theme, texts } = portal;
  const { title, back, notice, paymentForm } = position;
  const inside = html`<div class="stack">
      ${back && html`<p><a class="back" href="${back.address}">${icon('back')}${back.text}</a></p>`}
      <h1><bdi>${title}</bdi></h1>
      ${notice}
    </div>
    ${content}`;
  const page = html`<div class="stack roomy" id="${pageId}" data-shown="${digestOf(inside)}">${inside}</div>`;
  const whole = html`<div class="sided">${menu(portal, position.section)}${page}</div>`;
  const banner = html`<div class="push row">${accountLine(portal)} ${signOutForm(portal)}</div>`;
  const frame = { title: `${title} · ${texts.t('portal.name')}`, banner, theme, paymentForm };
  return show(visit, frame, visit.isFragment ? page : whole, options);
}

/** What differs between two answers that show the same: the names of the forms, and the parts of the first answer only. */
const unshown = /name="_(?:form|token)" value="[^"]*"|<noscript>.*?<\/noscript>|tabindex="-1" data-focus|\s+/gs;

/** The script of the page does not replace the content by the same content. */
const digestOf = ({ text }: Html) =>
  createHash('sha256').update(text.replaceAll(unshown, '')).digest('base64url').slice(0, 16);

function menu(portal: Portal, current: SectionName): Html {
  const { t } = portal.texts;
  const links = Object.entries(sections).map(([name, path]) => {
    const isCurrent = name === current ? html`aria-current="page"` : '';
    const text = t(`portal.sections.${name as SectionName}`);
    const sign = icon(icons[name as SectionName]);
    return html`<li><a href="${addressIn(portal, path)}" ${isCurrent}>${sign}${text}</a></li>`;
  });
  return html`<nav class="portal-menu" aria-label="${t('common.menu')}">
    <ul class="menu">
      ${links}
    </ul>
  </nav>`;
}

/** Shows the address of the account, so that visitors notice if somebody else is signed in. */
function accountLine({ email, texts }: Portal): Html | undefined {
  if (email === undefined) return undefined;
  return html`<p class="small">
    <span class="visually-hidden">${texts.t('paywall.signedInAs')}</span> <bdi>${breakable(email)}</bdi>
  </p>`;
}

function signOutForm(portal: Portal): Html {
  const content = html`<button type="submit" class="plain on-banner">${portal.texts.t('common.signOut')}</button>`;
  return form(portal.visit, { action: addressIn(portal, 'sign-out'), content, name: 'sign-out', className: 'row' });
}

/** A confirmation, which gets the focus. */
export const good = (text: string): Html =>
  html`<p class="alert good" role="status" tabindex="-1" data-focus>${text}</p>`;

/** A notice of a change in progress. It is refreshed at each event of the account, and by a slow poll. */
export function waiting(portal: Portal, notice: string, again = portal.visit.address): Html {
  const { visit } = portal;
  // The notice takes the focus once. A refresh leaves the focus where it is.
  const focus = visit.isFragment ? '' : html`tabindex="-1" data-focus`;
  return html`<div class="alert stack" role="status" ${focus} ${listening(portal, { again, target: pageId })}>
    <p class="waits"><span class="spinner small" aria-hidden="true"></span> <span>${notice}</span></p>
    ${refreshing(portal, again)}
  </div>`;
}
