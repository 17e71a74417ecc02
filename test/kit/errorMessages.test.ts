import { AppError, errorBody, errorCatalogue, messageOf, type ErrorCode } from '../../src/kit/errors';
import { call } from '../support/client';
import { complaintAbout } from '../support/errorMessages';
import { createConsumer, createMerchant, createShop, registration } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

const codes = Object.keys(errorCatalogue) as ErrorCode[];

/** Texts that existing clients compare, or that the interface fixes word by word. */
const fixedTexts: ErrorCode[] = [
  'account_does_not_exist',
  'account_exists',
  'access_not_found',
  'already_has_access',
  'invalid_auth_token',
  'invalid_credentials',
  'invalid_client',
  'invalid_refresh_token',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'body_too_large',
  'unsupported_media_type',
  'voucher_code_taken',
  'wrong_password',
  'wrong_old_password',
  'too_many_requests',
  'internal_error',
  'service_unavailable',
];

/** What is so stays so. No other request changes it, and the sentence says why. */
const finalStates: ErrorCode[] = [
  'invalid_signature',
  'follower_exists',
  'owner_required',
  'default_app',
  'default_brand',
  'dispute_closed',
  'nothing_to_refund',
  'gift_used',
  'webhook_event_gone',
];

/** The request names a row that is not there. The message names its kind. */
const namesWhatIsMissing = (code: ErrorCode, message: string) =>
  errorCatalogue[code].status === 404 &&
  /^[A-Z][a-z-]+( [a-z]+)* not (found|used)$|^No |^The account does not /.test(message);

/** An instruction at the beginning of a sentence or after a comma: `Ask for a new one`. */
const instruction =
  /(^|[.,] (or |then )?)(Add|add|Ask|ask|Change|Check|Choose|Confirm|Connect|Delete|Enter|Give|Load|Remove|Send|Set up|Sign in|Sign out|Start|Try|Use|Wait) ?/;

test.each(codes)('%s: the message tells a person what to do', (code) => {
  const sentence = 'The title must be at most 5 characters.';
  const body = errorBody(new AppError(code, { errors: { title: sentence, note: 'The note is wrong.' } }));
  expect(complaintAbout({ ...body, errors: body.errors ?? {} })).toBeUndefined();
  expect(body).toMatchObject({
    code: errorCatalogue[code].status,
    error: code,
    errors: { note: 'The note is wrong.' },
  });
  if ('isGeneral' in errorCatalogue[code]) expect(body.message).toBe(`${errorCatalogue[code].message}: ${sentence}`);
  else if (finalStates.includes(code)) expect(body.message.split(' ').length).toBeGreaterThanOrEqual(4);
  else if (!fixedTexts.includes(code) && !namesWhatIsMissing(code, body.message))
    expect(body.message).toMatch(instruction);
});

test('no error is without an instruction for two reasons', () => {
  const excused = [...fixedTexts, ...finalStates];
  expect(excused.filter((code) => instruction.test(errorCatalogue[code].message))).toEqual([]);
  expect(new Set(excused).size).toBe(excused.length);
});

test('a general message ends with the explanation of an error without fields', () => {
  const explain = 'The body is not an object.';
  expect(messageOf(new AppError('malformed_request', { explain }))).toBe(`Malformed request: ${explain}`);
});

describe('the words that existing clients look for', () => {
  let app: TestApp;
  beforeAll(async () => (app = await startApp()));
  afterAll(() => app.stop());

  const messageFrom = async (...request: Parameters<typeof call> extends [unknown, ...infer Rest] ? Rest : never) =>
    (await call<{ message: string }>(app, ...request)).body.message;

  test('409 account_exists, 422 invalid_input: at a registration', async () => {
    const merchant = await createMerchant(app);
    const { email } = await createConsumer(app, merchant);
    const register = (fields: Record<string, unknown>) =>
      messageFrom('POST', '/accounts', { ...registration('consumer', merchant.uuid), ...fields });
    const weak = { password: 'password123', password_confirmation: 'password123' };
    expect(await register({ username: email })).toBe('Account already exists');
    expect(await register({ username: 'ana' })).toBe(
      'Invalid input: The username is not in a valid format: please enter a valid e-mail address.',
    );
    expect(await register(weak)).toMatch(
      /^Invalid input: The password .*score does not match.* \(invalid param password\)\.$/,
    );
    expect(await register({ password: '' })).toBe('Missing required parameter: The password must not be empty.');
  });

  test('422 invalid_input: at a forgotten, a changed and a reset password', async () => {
    const merchant = await createMerchant(app);
    const consumer = await createConsumer(app, merchant);
    const forgot = { merchant_uuid: merchant.uuid, email: 'ana' };
    expect(await messageFrom('POST', '/accounts/forgot-password', forgot)).toContain('invalid param email');
    const weak = { password: 'password123', password_confirmation: 'password123' };
    expect(await messageFrom('POST', '/accounts/change-password', { old_password: 'x', ...weak }, consumer)).toBe(
      'Invalid input: The password score does not match standards.',
    );
    expect(await messageFrom('PUT', '/accounts/forgot-password/unknown', weak)).toContain(
      'resetPasswordToken is not valid',
    );
  });

  test('404 voucher_not_found: exactly', async () => {
    const { consumer, fee } = await createShop(app);
    const path = `/vouchers/discount`;
    const fields = { access_fee_id: fee.id, voucher_code: 'NOBODY' };
    expect(await messageFrom('POST', path, fields, consumer)).toBe('Voucher not found');
  });
});
