/**
 * The error catalogue: every error that a client can meet, by its stable key. The status is also the body's `code`,
 * the text its `message` (spec 7, decisions 2). Clients compare some of the texts, so a text is part of the interface.
 */
export const errorCatalogue = {
  missing_parameter: { status: 400, message: 'Missing required parameter' },
  malformed_request: { status: 400, message: 'Malformed request' },
  card_number_refused: { status: 400, message: 'Malformed request' },
  account_does_not_exist: { status: 400, message: 'The account does not exist' },
  invalid_auth_token: { status: 401, message: 'Invalid auth token' },
  invalid_credentials: { status: 401, message: 'Invalid credentials' },
  invalid_client: { status: 401, message: 'Invalid client' },
  invalid_refresh_token: { status: 401, message: 'Invalid credentials' },
  access_not_found: { status: 402, message: 'Asset access not found' },
  payment_failed: { status: 402, message: 'Payment failed' },
  forbidden: { status: 403, message: 'Invalid privileges' },
  merchant_signup_closed: { status: 403, message: 'Invalid privileges' },
  not_found: { status: 404, message: 'Not found' },
  account_not_found: { status: 404, message: 'Account not found' },
  item_not_found: { status: 404, message: 'Item not found' },
  access_type_not_found: { status: 404, message: 'Access type not found' },
  access_fee_not_found: { status: 404, message: 'Fee not found' },
  subscription_not_found: { status: 404, message: 'Subscription not found' },
  register_field_not_found: { status: 404, message: 'Register field not found' },
  voucher_not_found: { status: 404, message: 'Voucher not found' },
  app_not_found: { status: 404, message: 'App not found' },
  social_provider_not_found: { status: 404, message: 'Sign-in provider not found' },
  profile_not_found: { status: 404, message: 'Profile not found' },
  media_not_found: { status: 404, message: 'Media item not found' },
  payment_not_found: { status: 404, message: 'Payment not found' },
  method_not_allowed: { status: 405, message: 'Method Not Allowed' },
  account_exists: { status: 409, message: 'Account already exists' },
  profile_exists: { status: 409, message: 'Profile already exists' },
  follower_exists: { status: 409, message: 'The account is a follower already' },
  default_app: { status: 409, message: 'The default app cannot be deleted' },
  register_field_exists: { status: 409, message: 'Register field already exists' },
  already_has_access: { status: 409, message: 'You already have access for this asset' },
  request_in_progress: { status: 409, message: 'A request with this Idempotency-Key is still running' },
  body_too_large: { status: 413, message: 'Payload Too Large' },
  unsupported_media_type: { status: 415, message: 'Unsupported Media Type' },
  invalid_input: { status: 422, message: 'Invalid input' },
  invalid_pin: { status: 422, message: 'Invalid pin' },
  wrong_password: { status: 422, message: 'Invalid credentials' },
  wrong_old_password: { status: 422, message: 'Old password does not match' },
  activation_token_invalid: { status: 422, message: 'activationToken is not valid' },
  reset_token_invalid: { status: 422, message: 'resetPasswordToken is not valid' },
  pin_code_invalid: { status: 422, message: 'Pin code is not valid' },
  idempotency_key_reused: { status: 422, message: 'This Idempotency-Key was used with another request' },
  too_many_requests: { status: 429, message: 'Too many requests' },
  internal_error: { status: 500, message: 'Internal server error' },
  social_provider_unavailable: { status: 502, message: 'Sign-in provider unavailable' },
  service_unavailable: { status: 503, message: 'Service unavailable' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

export interface ErrorDetails {
  /** Field name (dots for nesting) to a text for people. */
  errors?: Record<string, string>;
  /** One sentence that helps more than the message. */
  explain?: string;
  retryAfterSeconds?: number;
}

/** A rule said no. Anything else that is thrown is a bug: 500 in HTTP, a retry in an activity. */
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

/** The wire's body of an error (spec 2 Message body, wire B.15). */
export function errorBody(error: AppError) {
  return {
    code: error.status,
    message: error.message,
    error: error.code,
    explain: error.details.explain ?? Object.values(error.details.errors ?? {})[0] ?? error.message,
    ...(error.details.errors && { errors: error.details.errors }),
  };
}
