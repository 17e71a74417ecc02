import { z } from 'zod';
import { scopes } from '../../kit/auth';

const names = [
  // Accounts
  ...['full_name', 'username', 'email', 'password', ...scopes.map((scope) => `scope_${scope}`)],
  // The catalogue
  ...[
    'title',
    'item_type',
    'access_control_type_id',
    'content',
    'external_asset_id',
    'is_giftable',
    'plan_switch_enabled',
  ],
  ...['description', 'amount', 'currency', 'access_type', 'quantity', 'period', 'starts_at', 'expires_at'],
  ...['trial_period_quantity', 'trial_period_period', 'trial_period_description', 'setup_fee_amount'],
  ...['setup_fee_description', 'country_iso', 'restriction_type', 'item_id'],
  // Subscriptions and transactions
  ...['at', 'resumes_at', 'revoke_access'],
  // Vouchers
  ...['name', 'code', 'discount', 'rebill_discount', 'discount_period', 'discount_duration', 'start_date', 'end_date'],
  'usage_limit',
  // Branding
  ...['brand_name', 'paywall_primary_color', 'paywall_secondary_color', 'paywall_buttons_bg_color'],
  ...['paywall_buttons_text_color', 'paywall_brand_logo', 'paywall_cover_photo', 'terms_url', 'paywall_footer'],
  ...['preview_top_border', 'service_protected_label', 'dark_mode'],
  // Restrictions
  ...[
    'min_age',
    'age_verification_enabled',
    'age_verification_type',
    'type',
    'countries',
    'global',
    'list',
    'domains',
    'domain',
  ],
  // Settings
  ...['session_limit', 'grace_days', 'retry_days', 'enabled', 'redirect_uris', 'active', 'sso', 'url', 'events'],
  ...['transfer_policy', 'sandbox_purchases', 'bundle_id', 'app_apple_id', 'issuer_id', 'key_id', 'private_key'],
  ...['package_name', 'client_email', 'push_service_account', 'push_audience', 'shared_secret', 'topic_arn'],
  ...['partner_api_key', 'channel_id'],
  // The test clock
  ...['advance', 'to'],
];

/** What a form of the console may send, as texts: the endpoint says what is wrong with it. */
export const AnyForm = fieldsOf(names);

/** Texts by these names, each of which may be absent. */
export function fieldsOf(wanted: readonly string[]): z.ZodObject<Record<string, z.ZodOptional<z.ZodString>>> {
  return z.object(Object.fromEntries(wanted.map((name) => [name, z.string().optional()])));
}

/** What a form sent, as its fields show it again. */

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** `DE, AT ch` is three: what is listed in one field. */
export function words(sent: unknown): string[] {
  return (asText(sent) ?? '').split(/[\s,;]+/).filter(Boolean);
}
