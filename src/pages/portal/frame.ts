import { z } from 'zod';
import { brandingEndpoints } from '../../branding/endpoints';
import { consumer } from '../../kit/auth';
import { type Answering, type Endpoint } from '../../kit/endpoint';
import { html, type Html } from '../../kit/html';
import { type Shown, type ShownOptions, type Visit } from '../../kit/pages/page';
import { type CustomerVisit } from '../customer/entry';
import { listening } from '../customer/listening';
import { form } from '../layout/forms';
import { show } from '../layout/page';
import { textsFor } from '../layout/texts';
import { type Theme, themeOf } from '../layout/theme';

/** What every page of the portal has in common: whose looks it has, who may see it, and the way to the others. */

export type AnswerOf<E> = E extends Answering<infer Body> & Endpoint ? Body : never;

const merchant_uuid = z.uuid().transform((uuid) => uuid.toLowerCase());
export const place = { merchant_uuid };
export const Place = z.object(place);
export type Place = z.output<typeof Place>;

/** Texts as a form or an address sends them; the endpoints say what is wrong with them. */
export const text = z.string().max(2000).optional();

export const portalPath = '/portal/{merchant_uuid}';

export const inPortal = {
  area: 'customer',
  auth: consumer(),
  params: Place,
  signInAt: ({ params, address, method }: Visit & { params: Place }) =>
    addressIn({ place: params }, 'sign-in', method === 'get' ? { next: address } : {}),
} as const;

export interface Portal extends CustomerVisit {
  theme: Theme;
}

export async function openPortal(visit: Visit & { params: Place }): Promise<Portal> {
  const { merchant_uuid } = visit.params;
  const brand = await visit.call(brandingEndpoints.getDefaultBrand, { params: { merchant_uuid } });
  return { visit, place: { merchant_uuid }, texts: textsFor(visit), theme: themeOf(brand) };
}

/** `/portal/<merchant>`, and what belongs to it. */
export function addressIn(
  { place: { merchant_uuid: merchant } }: Pick<Portal, 'place'>,
  path = '',
  query: Record<string, string> = {},
): string {
  const parameters = new URLSearchParams(query).toString();
  const whole = `/portal/${merchant}${path === '' ? '' : `/${path}`}`;
  return parameters === '' ? whole : `${whole}?${parameters}`;
}

/** The item's own page, where it is bought and seen. */
export const paywallOf = ({ place: { merchant_uuid: merchant } }: Pick<Portal, 'place'>, itemId: number) =>
  `/paywall/${merchant}/${itemId}`;

/** The id of what a form's answer takes the place of. */
export const pageId = 'page';

const sections = {
  subscriptions: '',
  purchases: 'purchases',
  receipts: 'receipts',
  card: 'card',
  gifts: 'gifts',
  profile: 'profile',
  data: 'data',
} as const;
type SectionName = keyof typeof sections;

export interface Position {
  section: SectionName;
  title: string;
  /** Where one comes from. */
  back?: { address: string; text: string };
  /** What the last form did. */
  told?: Html | undefined;
}

/** A page of the portal around its content. */
export function showInPortal(portal: Portal, position: Position, content: Html, options: ShownOptions = {}): Shown {
  const { visit, theme, texts } = portal;
  const { title, back, told } = position;
  const page = html`<div class="stack roomy" id="${pageId}">
    <div class="stack">
      ${back && html`<p class="small"><a href="${back.address}">${back.text}</a></p>`}
      <h1><bdi>${title}</bdi></h1>
      ${told}
    </div>
    ${content}
  </div>`;
  const whole = html`<div class="sided">${menu(portal, position.section)}${page}</div>`;
  const banner = html`<div class="push">${signOutForm(portal)}</div>`;
  const frame = { title: `${title} · ${texts.t('portal.name')}`, banner, theme };
  return show(visit, frame, visit.isFragment ? page : whole, options);
}

function menu(portal: Portal, current: SectionName): Html {
  const { t } = portal.texts;
  const links = Object.entries(sections).map(([name, path]) => {
    const isCurrent = name === current ? html`aria-current="page"` : '';
    const text = t(`portal.sections.${name as SectionName}`);
    return html`<li><a href="${addressIn(portal, path)}" ${isCurrent}>${text}</a></li>`;
  });
  return html`<nav class="portal-menu" aria-label="${t('common.menu')}">
    <ul class="menu">
      ${links}
    </ul>
  </nav>`;
}

function signOutForm(portal: Portal): Html {
  const content = html`<button type="submit" class="plain on-banner">${portal.texts.t('common.signOut')}</button>`;
  return form(portal.visit, { action: addressIn(portal, 'sign-out'), content, name: 'sign-out', className: 'row' });
}

/** What the last form did, first thing to be read. */
export const good = (text: string): Html =>
  html`<p class="alert good" role="status" tabindex="-1" data-focus>${text}</p>`;

/** What is still to happen: it is looked at again at every event of the account, and now and then besides. */
export function waiting(portal: Portal, told: string, again = portal.visit.address): Html {
  const { visit, texts } = portal;
  // Read out once: the page that takes its place every few seconds leaves the reader where it is.
  const focus = visit.isFragment ? '' : html`tabindex="-1" data-focus`;
  return html`<div class="alert stack" role="status" ${focus} ${listening(portal, { again, target: pageId })}>
    <p class="waits"><span class="spinner small" aria-hidden="true"></span> <span>${told}</span></p>
    <noscript><a href="${again}">${texts.t('common.reload')}</a></noscript>
  </div>`;
}
