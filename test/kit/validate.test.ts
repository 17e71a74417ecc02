import { z } from 'zod';
import { AppError } from '../../src/kit/errors';
import { formAlias, formBool, formId, formList, formText } from '../../src/kit/form';
import { passesLuhn, refuseCardNumbers, validate } from '../../src/kit/validate';

const Body = z.object({ name: formText({ max: 5 }), kind: z.enum(['a', 'b']), ids: formList(formId()).optional() });

function complaintOf(check: () => unknown): { error: string; errors: Record<string, string> | undefined } | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { error: error.code, errors: error.details.errors };
  }
}

describe('validate', () => {
  test('400 missing_parameter: names all that are absent, and checks nothing that is present', () => {
    expect(complaintOf(() => validate(Body, { ids: 'x' }))).toEqual({
      error: 'missing_parameter',
      errors: { name: 'The name must not be empty.', kind: 'The kind must not be empty.' },
    });
  });

  test.each(['', null, undefined])('400 missing_parameter: a required field sent as %p', (name) => {
    expect(complaintOf(() => validate(Body, { name, kind: 'a' }))?.errors).toEqual({
      name: 'The name must not be empty.',
    });
  });

  test('422 invalid_input: one sentence a field, nested names with dots', () => {
    expect(complaintOf(() => validate(Body, { name: 'longer', kind: 'c', ids: ['1', 'x'] }))).toEqual({
      error: 'invalid_input',
      errors: {
        name: 'The name must be at most 5 characters.',
        kind: 'The kind must be one of a, b.',
        'ids.1': expect.stringMatching(/^The ids\.1 .+\.$/) as unknown,
      },
    });
  });

  test('unknown fields do not pass, an empty optional one is absent', () => {
    expect(validate(Body, { name: 'x', kind: 'a', ids: '', role: 'merchant' })).toEqual({ name: 'x', kind: 'a' });
  });
});

describe('validate with a field that has an alias', () => {
  const Labelled = z.object({ name: formText(), label: formAlias('old_label', formBool()) });

  test.each([
    [{ label: '0' }, false],
    [{ old_label: '0' }, false],
    [{ label: '', old_label: '1' }, true],
    [{ label: null, old_label: 1 }, true],
    [{ label: '1', old_label: '0' }, true],
    [{ label: '1', old_label: 'perhaps' }, true],
  ])('%j', (sent, label) => expect(validate(Labelled, { name: 'x', ...sent })).toEqual({ name: 'x', label }));

  test('400 missing_parameter: under neither name, beside what else is absent', () => {
    expect(complaintOf(() => validate(Labelled, { old_label: '' }))?.errors).toEqual({
      name: 'The name must not be empty.',
      label: 'The label must not be empty.',
    });
  });

  test('422 invalid_input: a bad value under the alias', () => {
    const { error, errors = {} } = complaintOf(() => validate(Labelled, { name: 'x', old_label: 'perhaps' })) ?? {};
    expect([error, Object.keys(errors)]).toEqual(['invalid_input', ['label']]);
  });
});

describe('refuseCardNumbers', () => {
  test.each([
    ['4242424242424242'],
    ['4242 4242 4242 4242'],
    ['4242-4242-4242-4242'],
    ['my card is 5555555555554444, thanks'],
    ['378282246310005'],
    ['6011111111111117'],
    [4242424242424242],
    ['card4242424242424242'],
  ])('400 card_number_refused: %p', (value) => {
    const refused = { error: 'card_number_refused', errors: { name: 'The name must not hold a card number.' } };
    expect(complaintOf(() => refuseCardNumbers({ name: value }, []))).toEqual(refused);
    expect(complaintOf(() => refuseCardNumbers({ name: { deep: [{ value }] } }, []))).toEqual(refused);
    expect(complaintOf(() => refuseCardNumbers({ name: { [value]: 'x' } }, []))).toEqual(refused);
    expect(complaintOf(() => refuseCardNumbers({ name: value }, ['number']))).toEqual(refused);
  });

  test('the text of the error does not repeat the number', () => {
    const complaint = complaintOf(() => refuseCardNumbers({ name: '4242424242424242' }, []));
    expect(JSON.stringify(complaint)).not.toContain('4242');
  });

  test.each([
    ['4242424242424241', 'the check digit is wrong'],
    ['1234567890123452', 'no scheme begins with 1'],
    ['+389 70 123 456', 'too short'],
    ['2026-05-28 20:26:40', 'a date'],
    ['42424242', 'half a number'],
    ['5ed0cd26-1702-4113-9716-35b4363caa14', 'a UUID'],
    ['anna-5ED0CD26-1702-4113-9716-35B4363CAA14@example.org', 'an address with a UUID'],
    ['pi_9ab6960889766636147fccc5d857e734', 'the token of a payment'],
    ['ana-42424242-4242-4242-a242-0123456789ab@example.org', 'a uuid'],
    ['0.4242424242424242', 'a fraction'],
  ])('lets %s pass: %s', (value) => expect(complaintOf(() => refuseCardNumbers({ name: value }, []))).toBeUndefined());

  test('lets a card number pass in the field that is for one', () =>
    expect(complaintOf(() => refuseCardNumbers({ number: '4242424242424242' }, ['number']))).toBeUndefined());
});

test('passesLuhn', () => {
  for (const digits of ['4242424242424242', '0', '18', '79927398713']) expect(passesLuhn(digits)).toBe(true);
  for (const digits of ['4242424242424243', '1', '79927398710']) expect(passesLuhn(digits)).toBe(false);
});
