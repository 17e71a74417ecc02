/**
 * What `npm run screenshots` takes of the pages that a list cannot open by their address alone. The pages of the console
 * are not here: the gallery opens each one that is registered.
 */

/** The pages of the portal behind the sign-in, by the names of their pictures. */
export const portalPlaces = {
  'portal-home': '',
  'portal-subscription': '/subscriptions/{id}',
  'portal-switch': '/subscriptions/{id}/switch',
  'portal-payment-method': '/subscriptions/{id}/payment-method',
  'portal-purchases': '/purchases',
  'portal-receipts': '/receipts',
  'portal-billing': '/billing',
  'portal-card': '/card',
  'portal-gifts': '/gifts',
  'portal-profile': '/profile',
  'portal-security': '/security',
  'portal-television': '/tv',
  'portal-data': '/data',
  'portal-erase': '/data/erase',
} as const;

/** The pages of operators behind the sign-in, by the names of their pictures. */
export const operatorPlaces = {
  'operator-home': '/operator',
  'operator-merchant': '/operator/shops/{id}',
  'operator-waiting': '/operator/waiting',
  'operator-refused': '/operator/refused',
  'operator-actions': '/operator/actions',
  'operator-security': '/operator/security',
} as const;

/** The pages behind links and of payments, by the names of their pictures. */
export const linkPlaces = {
  'link-activation': '/accounts/activate/{token}',
  'link-new-password': '/accounts/forgot-password/{token}',
  'link-export': '/accounts/export/{token}',
  'link-second-factor': '/accounts/second-factor/{token}',
  'link-email': '/accounts/email/{token}',
  'link-email-stop': '/accounts/email/stop/{token}',
  'link-card': '/payments/card/{token}',
  'link-payment': '/payments/pay/{token}',
  'link-confirmation': '/payments/confirm/{token}',
  'link-keep': '/subscriptions/keep/{token}',
  'link-report-stop': '/reporting/stop/{token}',
  'link-report-confirmation': '/reporting/confirm/{token}',
  'payment-external': '/payments/external/{token}',
  'payment-return': '/payments/return',
  'payment-bank': '/sandbox/authenticate/{reference}',
} as const;

/** The pages of the entries and of the paywall. `paywall.gallery.ts` and `portal.gallery.ts` reach them by clicks. */
export const reachedByClicks = [
  '/paywall/{merchant_uuid}/{item_id}',
  '/portal/{merchant_uuid}/sign-in',
  '/portal/{merchant_uuid}/register',
  '/portal/{merchant_uuid}/forgotten',
  '/portal/{merchant_uuid}/sign-in-link',
  '/portal/{merchant_uuid}/sign-in/{token}',
  '/operator/sign-in',
] as const;

/** What a page of customers answers to a GET, and what is no page of its own. */
export const withoutPicture: Readonly<Record<string, string>> = {
  '/paywall/{merchant_uuid}/{item_id}/code-content': 'a frame with the HTML of the merchant',
  '/paywall/{merchant_uuid}/{item_id}/content': 'a frame with the HTML of the merchant',
  '/paywall/{merchant_uuid}/{item_id}/region': 'a part of the checkout',
  '/paywall/{merchant_uuid}/{item_id}/purchase': 'the waiting checkout, which has a picture',
  '/portal/{merchant_uuid}/billing/region': 'a part of the billing details',
  '/portal/{merchant_uuid}/receipts/{trx_token}': 'a PDF',
};
