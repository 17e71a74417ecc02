import { accessEndpoints } from '../../items/access/endpoints';
import { AppError } from '../../kit/errors';
import { html } from '../../kit/html';
import { type Shown, type ShownOptions } from '../../kit/pages/page';
import { checkRestrictions } from '../../restrictions/service';
import { tokenForm } from '../customer/entry';
import { contentFrame } from '../layout/content';
import { type TextKey } from '../layout/texts';
import { checkoutStage, type Choice } from './checkout';
import { feeContent } from '../customer/fees';
import { address, type Paywall, stage, stepLink, titleOf } from './parts';
import { pinStage } from './pin';

export type Wanted = Choice & { step?: string | undefined };

/** Where a visitor is: the content for who has access, else what stands between. */
export async function currentStage(paywall: Paywall, wanted: Wanted = {}, options: ShownOptions = {}): Promise<Shown> {
  const { visit, place } = paywall;
  if (!visit.caller) return (await refusedBeforeSignIn(paywall)) ?? offerStage(paywall, options);
  try {
    const access = await visit.call(accessEndpoints.checkAccess, { params: { id: place.item_id } });
    if (wanted.gift !== 'true' && 'expires_at' in access) return contentStage(paywall, access.expires_at, options);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'access_restricted') return restrictedStage(paywall, error, options);
    if (error.code !== 'access_not_found') throw error;
  }
  return checkoutStage(paywall, wanted, {}, options);
}

/** Nobody registers for what they cannot see then: domain and country are known before. */
async function refusedBeforeSignIn(paywall: Paywall): Promise<Shown | undefined> {
  const { visit, item } = paywall;
  const { host, clientAddress } = visit.request;
  const visitor = { merchantId: item.merchant_id, dateOfBirth: null, host, address: clientAddress };
  const { outcomes } = await checkRestrictions(visitor, item.id);
  const refused = outcomes.find(({ kind, outcome }) => outcome === 'refused' && kind !== 'age');
  return refused && unavailableStage(paywall, refused.kind === 'geo' ? 'paywall.notInCountry' : 'paywall.notOnDomain');
}

function restrictedStage(paywall: Paywall, error: AppError, options: ShownOptions): Promise<Shown> | Shown {
  const by = Object.keys(error.details.errors ?? {});
  if (by.includes('pin')) return pinStage(paywall, {}, options);
  const reason = by.includes('geo') ? 'notInCountry' : by.includes('age') ? 'notOldEnough' : 'notOnDomain';
  return unavailableStage(paywall, `paywall.${reason}`, options);
}

function unavailableStage(paywall: Paywall, reason: TextKey, options: ShownOptions = {}): Shown {
  const { t } = paywall.texts;
  const content = html`<section class="card stack centred" tabindex="-1" data-focus>
    <h2>${t('paywall.notAvailable')}</h2>
    <p class="quiet">${t(reason)}</p>
  </section>`;
  return stage(paywall, content, { ...options, tell: { type: 'paywall.unavailable', reason } });
}

/** What it costs, and the way in. */
export function offerStage(paywall: Paywall, options: ShownOptions = {}): Shown {
  const { fees, texts, item } = paywall;
  const { t } = texts;
  const isFree = item.access_control_type.name === 'Auth';
  if (fees.length === 0 && !isFree) return unavailableStage(paywall, 'paywall.notOnSale', options);
  const prices = fees.map((fee) => html`<li class="choice still">${feeContent(texts, fee)}</li>`);
  const content = html`<section class="stack" tabindex="-1" data-focus>
    ${tokenForm(paywall.visit, address(paywall, 'session'))}
    <h2>${isFree ? t('paywall.freeForRegistered') : t('paywall.choose')}</h2>
    ${
      isFree
        ? ''
        : html`<ul class="plain-list">
            ${prices}
          </ul>`
    }
    ${stepLink(paywall, { step: 'register' }, t(isFree ? 'paywall.register' : 'paywall.getAccess'), 'button main full')}
    <p class="centred">${t('paywall.haveAccount')} ${stepLink(paywall, { step: 'sign-in' }, t('common.signIn'))}</p>
    ${
      item.is_giftable && fees.some(({ access_type }) => access_type.name !== 'subscription')
        ? html`<p class="centred small">
            ${stepLink(paywall, { step: 'register', gift: 'true' }, t('paywall.buyGift'))}
          </p>`
        : ''
    }
  </section>`;
  return stage(paywall, content, { ...options, tell: { type: 'paywall.shown' } });
}

/** The content itself, in a frame that reaches nothing of ours. */
export function contentStage(
  paywall: Paywall,
  expiresAt: number,
  options: ShownOptions & { isNew?: boolean } = {},
): Shown {
  const { texts, item } = paywall;
  const { t } = texts;
  const { isNew = false, ...shown } = options;
  const lasts =
    expiresAt >= endOfTimeSeconds
      ? t('paywall.accessForEver')
      : t('paywall.accessUntil', { date: texts.dateTime(expiresAt) });
  const frame = contentFrame({ address: withPageToken(paywall, address(paywall, 'content')), title: titleOf(item) });
  const canGive = item.is_giftable && paywall.fees.some(({ access_type }) => access_type.name !== 'subscription');
  const content = html`<section class="stack">
    <div class="alert good" role="status" tabindex="-1" data-focus>
      <p class="strong">${t(isNew ? 'paywall.thankYou' : 'paywall.alreadyHaveAccess')}</p>
      <p>${lasts}</p>
    </div>
    <h1><bdi>${titleOf(item)}</bdi></h1>
    ${frame}
    <p class="row middle small">
      <a href="/portal/${item.merchant_uuid}" target="_blank" rel="noopener">${t('paywall.manage')}</a>
      ${canGive && stepLink(paywall, { gift: 'true' }, t('paywall.buyGift'))}
    </p>
  </section>`;
  const tell = { type: 'paywall.unlocked', expires_at: expiresAt, is_new: isNew };
  return stage(paywall, content, { ...shown, hasCard: false, tell });
}

/** The last second that 32 bits hold stands for no end. */
const endOfTimeSeconds = 0x7fffffff;

/** Later requests of the frame are its own: who shows the page around it is told in the token. */
function withPageToken({ visit }: Paywall, to: string): string {
  return `${to}?_token=${encodeURIComponent(visit.pageToken)}`;
}
