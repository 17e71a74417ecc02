import { passesLuhn, refuseCardNumbers } from '../../src/kit/cardNumbers';
import { AppError } from '../../src/kit/errors';

function complaintOf(check: () => unknown): { error: string; errors: Record<string, string> | undefined } | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { error: error.code, errors: error.details.errors };
  }
}

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
    ['4222222222222'],
    ['4000056655665556122'],
    ['2223003122003222'],
    ['30569309025904'],
    ['36227206271667'],
    ['3530111333300000'],
    ['6200000000000005'],
    ['5018000000000009'],
    ['6759649826438453'],
    ['2200000000000004'],
    ['4242.4242.4242.4242'],
    ['4242/4242/4242/4242'],
    ['4242_4242_4242_4242'],
    ['4242\u00a04242\u00a04242\u00a04242'],
    ['4242 - 4242 - 4242 - 4242'],
    ['3782 822463 10005'],
    ['\uff14\uff12\uff14\uff12\uff14\uff12\uff14\uff12\uff14\uff12\uff14\uff12\uff14\uff12\uff14\uff12'],
    ['\u0664\u0662\u0664\u0662\u0664\u0662\u0664\u0662\u0664\u0662\u0664\u0662\u0664\u0662\u0664\u0662'],
    ['order 1234 4242424242424242'],
    ['4242 4242 4242 4242 12/30 123'],
    ['4242<br>4242<br>4242<br>4242'],
    ['<p>My card: 4242<br />4242<BR class="x">4242<br/>4242</p>'],
    ['4242<b>4242</b><span style="color:red"><i>4242</i></span>4242'],
    ['4242<wbr>4242<!-- here -->4242&nbsp;4242'],
    ['&#52;242&#32;4242&#x20;4242&ndash;4242'],
    ['<a href="/orders/4242424242424242">an order</a>'],
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
    ['+49 151 12345678', 'a telephone number'],
    ['+4915112345678', 'a telephone number'],
    ['1700000000000', 'milliseconds'],
    ['9999-12-31T23:59:59.999Z', 'a time'],
    ['42424242', 'half a number'],
    ['5ed0cd26-1702-4113-9716-35b4363caa14', 'a UUID'],
    ['anna-5ED0CD26-1702-4113-9716-35B4363CAA14@example.org', 'an address with a UUID'],
    ['pi_9ab6960889766636147fccc5d857e734', 'the token of a payment'],
    ['ana-42424242-4242-4242-a242-0123456789ab@example.org', 'a uuid'],
    ['0.4242424242424242', 'a fraction'],
    ['<td>4242</td><td>4242</td><td>4242</td><td>4242</td>', 'the cells of a table'],
    ['<li>4242</li><li>4242</li><li>4242</li><li>4242</li>', 'a list'],
    ['4242<br><br><br><br>4242<br><br><br><br>42424242', 'numbers far from each other'],
    ['4242 & 4242 <b>and</b> 4242 & 4242', 'words between numbers'],
    ['<!-- 4242<br>4242<br>4242<br>4243 -->', 'a wrong check digit in a comment'],
    ['&#9999999;4242424242&#1114112;', 'no character'],
  ])('lets %s pass: %s', (value) => expect(complaintOf(() => refuseCardNumbers({ name: value }, []))).toBeUndefined());

  test('lets a card number pass in the field that is for one', () =>
    expect(complaintOf(() => refuseCardNumbers({ number: '4242424242424242' }, ['number']))).toBeUndefined());
});

test('passesLuhn', () => {
  for (const digits of ['4242424242424242', '0', '18', '79927398713']) expect(passesLuhn(digits)).toBe(true);
  for (const digits of ['4242424242424243', '1', '79927398710']) expect(passesLuhn(digits)).toBe(false);
});
