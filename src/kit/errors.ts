/**
 * The error catalogue: every error that a client can receive, by its stable key. The status is also the `code` of the
 * body, and the text is its `message`. Clients compare some of the texts, so a text is part of the interface. The
 * sentence of the first field, or the explanation, completes a general text.
 */
export const errorCatalogue = {
  missing_parameter: { status: 400, message: 'Missing required parameter', isGeneral: true },
  malformed_request: { status: 400, message: 'Malformed request', isGeneral: true },
  card_number_refused: { status: 400, message: 'Malformed request', isGeneral: true },
  account_does_not_exist: { status: 400, message: 'The account does not exist' },
  access_code_in_use: { status: 400, message: 'Code is in use on other devices. Sign out on one of them first' },
  invalid_signature: { status: 400, message: 'The signature is not valid' },
  authorization_pending: { status: 400, message: 'The sign-in is not confirmed yet. Ask again' },
  slow_down: { status: 400, message: 'Wait five seconds, then ask again' },
  access_denied: { status: 400, message: 'The sign-in was refused. Start again' },
  expired_token: { status: 400, message: 'The code has expired. Start again' },
  invalid_auth_token: { status: 401, message: 'Invalid auth token' },
  invalid_credentials: { status: 401, message: 'Invalid credentials' },
  invalid_client: { status: 401, message: 'Invalid client' },
  second_factor_required: { status: 401, message: 'Enter the code of your second factor' },
  second_factor_challenge_invalid: { status: 401, message: 'The sign-in has expired. Sign in again' },
  invalid_refresh_token: { status: 401, message: 'Invalid credentials' },
  invalid_access_code: { status: 401, message: 'Code is invalid. Check it and enter it again' },
  access_not_found: { status: 402, message: 'Asset access not found' },
  access_restricted: { status: 402, message: 'Access restricted', isGeneral: true },
  provider_misconfigured: {
    status: 402,
    message: 'The payment service is not available. Try again later, or ask the merchant',
  },
  payment_failed: { status: 402, message: 'Payment failed', isGeneral: true },
  forbidden: { status: 403, message: 'Invalid privileges' },
  recent_password_required: { status: 403, message: 'Confirm with your password' },
  scope_not_held: { status: 403, message: 'You can only give rights that you have. Remove the others' },
  recent_factor_required: { status: 403, message: 'Confirm with a code of your second factor' },
  second_factor_missing: { status: 403, message: 'Set up a second factor first' },
  merchant_suspended: {
    status: 403,
    message: 'The operator of this service has suspended the merchant. Ask the merchant',
  },
  merchant_not_open: { status: 403, message: 'This shop is not open. Try again later' },
  feature_disabled: { status: 403, message: 'This feature is turned off. Ask the merchant to turn it on' },
  item_restricted: { status: 403, message: 'Access restricted', isGeneral: true },
  merchant_signup_closed: { status: 403, message: 'New merchants cannot register here. Ask the operator' },
  page_expired: { status: 403, message: 'The page is out of date. Load it again and repeat the last step' },
  not_found: { status: 404, message: 'Not found' },
  merchant_not_found: { status: 404, message: 'Merchant not found' },
  message_not_found: { status: 404, message: 'No refused message has this id' },
  account_not_found: { status: 404, message: 'Account not found' },
  staff_not_found: { status: 404, message: 'Staff member not found' },
  staff_role_not_found: { status: 404, message: 'Role not found' },
  staff_invitation_not_found: { status: 404, message: 'Invitation not found' },
  company_provider_not_found: { status: 404, message: 'No sign-in provider is connected. Connect one first' },
  session_not_found: { status: 404, message: 'Session not found' },
  identity_not_found: { status: 404, message: 'The account does not sign in with this service' },
  second_factor_not_found: { status: 404, message: 'Second factor not found' },
  pairing_not_found: {
    status: 404,
    message: 'No device waits with this code. Check the code, or start again on the device',
  },
  email_change_not_found: { status: 404, message: 'No change of the address waits' },
  passkey_not_found: { status: 404, message: 'Passkey not found' },
  saved_filter_not_found: { status: 404, message: 'Saved filter not found' },
  image_not_found: { status: 404, message: 'Image not found' },
  item_not_found: { status: 404, message: 'Item not found' },
  access_record_not_found: { status: 404, message: 'Access not found' },
  access_code_not_found: { status: 404, message: 'Code not found' },
  trial_not_used: { status: 404, message: 'Free trial not used' },
  access_type_not_found: { status: 404, message: 'Access type not found' },
  access_fee_not_found: { status: 404, message: 'Fee not found' },
  subscription_not_found: { status: 404, message: 'Subscription not found' },
  cancel_offer_not_found: { status: 404, message: 'Offer not found' },
  register_field_not_found: { status: 404, message: 'Register field not found' },
  voucher_not_found: { status: 404, message: 'Voucher not found' },
  voucher_rule_not_found: { status: 404, message: 'Voucher rule not found' },
  gift_voucher_not_found: { status: 404, message: 'Gift voucher not found' },
  app_not_found: { status: 404, message: 'App not found' },
  social_provider_not_found: { status: 404, message: 'Sign-in provider not found' },
  profile_not_found: { status: 404, message: 'Profile not found' },
  media_not_found: { status: 404, message: 'Media item not found' },
  brand_not_found: { status: 404, message: 'Brand not found' },
  dispute_not_found: { status: 404, message: 'Dispute not found' },
  difference_not_found: { status: 404, message: 'Difference not found' },
  mandate_not_found: { status: 404, message: 'Mandate not found' },
  invoice_not_found: { status: 404, message: 'Invoice not found' },
  payment_not_found: { status: 404, message: 'Payment not found' },
  restriction_not_found: { status: 404, message: 'Restriction not found' },
  country_set_not_found: { status: 404, message: 'Country set not found' },
  geo_set_not_found: { status: 404, message: 'Geo set not found' },
  mail_text_not_found: { status: 404, message: 'Mail text not found' },
  webhook_not_found: { status: 404, message: 'Webhook not found' },
  webhook_delivery_not_found: { status: 404, message: 'Webhook delivery not found' },
  report_schedule_not_found: { status: 404, message: 'Report schedule not found' },
  provider_not_connected: { status: 404, message: 'No payment account is connected. Connect one first' },
  connect_not_offered: {
    status: 404,
    message: 'This installation has no platform at Stripe. Use a key of your own account',
  },
  store_not_configured: { status: 404, message: 'Store not configured. Enter its keys in the settings first' },
  method_not_allowed: { status: 405, message: 'Method Not Allowed' },
  account_exists: { status: 409, message: 'Account already exists' },
  email_taken: { status: 409, message: 'The address cannot be used for this account. Choose another one' },
  second_factor_exists: { status: 409, message: 'The account has a second factor already. Remove it first' },
  passkey_exists: { status: 409, message: 'This passkey belongs to an account already. Use another one' },
  passkey_limit: { status: 409, message: 'The account has 20 passkeys. Remove one first' },
  profile_exists: { status: 409, message: 'Profile already exists. Choose another name' },
  follower_exists: { status: 409, message: 'The account is a follower already' },
  owner_required: { status: 409, message: 'The account of the merchant stays its owner' },
  staff_exists: { status: 409, message: 'A member of the staff has this address already. Use another one' },
  staff_invited: { status: 409, message: 'This address is invited already. Send the invitation again' },
  staff_role_exists: { status: 409, message: 'A role has this name already. Choose another one' },
  staff_role_in_use: { status: 409, message: 'The role is in use. Give its members another role first' },
  default_app: { status: 409, message: 'The default app cannot be deleted' },
  image_limit: { status: 409, message: 'The merchant has 2,000 images. Try again when unused ones are deleted' },
  default_brand: { status: 409, message: 'The default brand cannot be deleted' },
  cancel_offer_exists: {
    status: 409,
    message: 'There is an offer for this item and reason already. Change it, or choose another reason',
  },
  register_field_exists: { status: 409, message: 'Register field already exists. Choose another name' },
  country_set_in_use: { status: 409, message: 'The country set is in use. Remove it from fees and items first' },
  access_code_exists: { status: 409, message: 'Code already exists. Choose another one' },
  merchant_state: { status: 409, message: 'The merchant is not in the state for this. Load its state again' },
  export_in_progress: { status: 409, message: 'An export of this account is on its way already. Wait for its mail' },
  voucher_code_taken: { status: 409, message: 'Voucher code already exists' },
  media_not_configured: {
    status: 409,
    message: 'Media signing is not configured. Enter its keys in the settings first',
  },
  provider_changed: { status: 409, message: 'Another request has changed the payment account. Load it again' },
  connect_refused: {
    status: 409,
    message: 'Stripe does not accept the platform of this installation. Ask its operator',
  },
  provider_in_use: { status: 409, message: 'The payment account is in use. Wait until its payments have ended' },
  dispute_closed: { status: 409, message: 'The dispute takes no more evidence' },
  difference_closed: {
    status: 409,
    message: 'The difference is resolved, or cannot be resolved in this way. Load it again',
  },
  nothing_to_refund: { status: 409, message: 'Nothing is left to be refunded' },
  gift_used: { status: 409, message: 'The gift is used already' },
  card_confirmation_required: { status: 409, message: 'Confirm the use of the saved card on this device' },
  price_changed: { status: 409, message: 'The total has changed. Check it and confirm again' },
  already_has_access: { status: 409, message: 'You already have access for this asset' },
  access_state: { status: 409, message: 'The access cannot be extended', isGeneral: true },
  mail_not_possible: { status: 409, message: 'The mail cannot be sent', isGeneral: true },
  subscription_state: { status: 409, message: 'The subscription does not allow this now', isGeneral: true },
  clock_goes_forward: { status: 409, message: 'The clock only goes forward. Choose a later time' },
  webhook_limit_reached: { status: 409, message: 'The limit of 20 webhooks is reached. Delete one first' },
  report_schedule_limit_reached: {
    status: 409,
    message: 'The limit of 20 report schedules is reached. Delete one first',
  },
  report_recipient_limit_reached: {
    status: 409,
    message: 'The limit of 20 new recipients in 24 hours is reached. Add the others later',
  },
  webhook_event_gone: { status: 409, message: 'The event is no longer stored' },
  request_in_progress: {
    status: 409,
    message: 'A request with this Idempotency-Key is still running. Wait, then send it again',
  },
  body_too_large: { status: 413, message: 'Payload Too Large' },
  unsupported_media_type: { status: 415, message: 'Unsupported Media Type' },
  invalid_input: { status: 422, message: 'Invalid input', isGeneral: true },
  payment_method_not_offered: { status: 422, message: 'This payment method is not offered. Choose another one' },
  voucher_customer_limit: { status: 422, message: 'Invalid input', isGeneral: true },
  voucher_currency: { status: 422, message: 'Invalid input', isGeneral: true },
  voucher_new_customers_only: { status: 422, message: 'Invalid input', isGeneral: true },
  image_type_refused: { status: 422, message: 'The file is not a PNG, JPEG, WebP or GIF image. Choose another file' },
  image_unreadable: { status: 422, message: 'The image is damaged or incomplete. Choose another file' },
  image_too_large: { status: 422, message: 'The image has too many pixels. Choose a smaller one' },
  invalid_pin: { status: 422, message: 'The pin is wrong. Enter it again' },
  wrong_password: { status: 422, message: 'Invalid credentials' },
  wrong_old_password: { status: 422, message: 'Old password does not match' },
  activation_token_invalid: { status: 422, message: 'activationToken is not valid. Ask for a new mail' },
  reset_token_invalid: { status: 422, message: 'resetPasswordToken is not valid. Ask for a new mail' },
  sign_in_link_invalid: { status: 422, message: 'The link is not valid. Ask for a new one' },
  staff_invitation_invalid: { status: 422, message: 'The invitation is not valid. Ask for a new one' },
  export_token_invalid: { status: 422, message: 'The link is not valid. Ask for another export' },
  email_token_invalid: { status: 422, message: 'The link is not valid. Ask for another change of the address' },
  pin_code_invalid: { status: 422, message: 'Pin code is not valid. Ask for a new one' },
  passkey_invalid: { status: 422, message: 'The passkey was not accepted. Try again' },
  second_factor_code_invalid: {
    status: 422,
    message: 'The code is not valid. Enter the code that the app shows now, or an unused recovery code',
  },
  idempotency_key_reused: { status: 422, message: 'This Idempotency-Key was used with another request. Use a new key' },
  too_many_requests: { status: 429, message: 'Too many requests' },
  internal_error: { status: 500, message: 'Internal server error' },
  social_provider_unavailable: {
    status: 502,
    message: 'Sign-in provider unavailable. Try again later, or sign in in another way',
  },
  service_unavailable: { status: 503, message: 'Service unavailable' },
} as const satisfies Record<string, CatalogueEntry>;

interface CatalogueEntry {
  status: number;
  message: string;
  isGeneral?: true;
}

export type ErrorCode = keyof typeof errorCatalogue;

export interface ErrorDetails {
  /** Field name (with dots for nesting) → text for people. */
  errors?: Record<string, string>;
  /** One sentence that explains the message. */
  explain?: string;
  /** The message is exactly the text of the catalogue, because an interface fixes it. */
  isPlain?: boolean;
  /** The id of the object that the error is about, for clients that read it. */
  id?: number;
  retryAfterSeconds?: number;
  /** Replaces the password when the sign-in continues with the code of a second factor. */
  challenge?: string;
  /** The amount that is due now, in the major unit. */
  total?: { amount: number; currency: string };
}

/** A refusal by a rule. Any other error is a bug: 500 in HTTP, a retry in an activity. */
export class AppError extends Error {
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    readonly details: ErrorDetails = {},
  ) {
    super(errorCatalogue[code].message);
    this.name = 'AppError';
    this.status = errorCatalogue[code].status;
  }
}

/**
 * The message of an error, for people. Many apps show nothing else: `Invalid input: The title must be at most 200
 * characters.` `errors` contains the texts of all fields, and `error` the stable key.
 */
export function messageOf({ code, details }: AppError): string {
  const { message, isGeneral }: CatalogueEntry = errorCatalogue[code];
  const sentence = sentenceOf(details);
  return isGeneral && !details.isPlain && sentence !== undefined ? `${message}: ${sentence}` : message;
}

const sentenceOf = ({ errors = {}, explain }: ErrorDetails): string | undefined => Object.values(errors)[0] ?? explain;

/** The JSON body of an error. */
export function errorBody(error: AppError) {
  const message = messageOf(error);
  return {
    code: error.status,
    message,
    error: error.code,
    explain: error.details.explain ?? sentenceOf(error.details) ?? message,
    ...(error.details.id !== undefined && { id: error.details.id }),
    ...(error.details.errors && { errors: error.details.errors }),
    ...(error.details.challenge !== undefined && { challenge: error.details.challenge }),
    ...(error.details.total && { total: error.details.total }),
  };
}
