import { dictionary } from '@zxcvbn-ts/language-common';
import { isGuessable } from '../../src/adapters/passwordStrength';

test.each(
  `password 12345678 123456789 1234567890 qwertyuiop qwerty123 1q2w3e4r 1qaz2wsx zaq12wsx iloveyou sunshine princess
  football baseball superman batman123 trustno1 passw0rd P@ssw0rd p@$$w0rd Password1! password123 11111111 00000000
  88888888 12341234 abcd1234 abc12345 asdfghjk asdf1234 qazwsxedc 87654321 987654321 michael1 jennifer jessica1 starwars
  computer corvette mercedes maverick whatever welcome1 Welcome2024! admin123 letmein1 changeme monkey123 dragon12
  shadow123 master12 charlie1 liverpool arsenal1 chelsea1 barcelona juventus pokemon1 naruto123 minecraft jordan23
  michelle danielle victoria elizabeth alexander blink182 metallica slipknot qwertyui zxcvbnm1 zxcvbnm, 1234qwer
  qwer1234 q1w2e3r4 aa123456 a1b2c3d4 19841984 01011990 19900101 31.12.1999 aaaaaaaa abcabcabc 123123123 112233445566
  testtest passpass lovelove fuckyou1 asshole1 samsung1 internet summer2023 Winter2025! january1 football1 myspace1
  !password! 123password loveyou123 secret123 ABCDEFGH hgfedcba qwertzui azertyui 1111111a
  Hallo1234 contraseña Contraseña1 jetaime1 schatz123 ichliebedich fußball1 fussball tequiero! galatasaray Fenerbahçe1907
  paywall123 subscription Premium2025 alejandro1 Müller123 kochanie1`.split(/\s+/),
)('refused: %s', (password) => {
  expect(isGuessable(password)).toBe(true);
});

test.each([
  'correct-horse-battery',
  'correct-horse',
  'staple-of-batteries',
  'tr0ub4dor&3x',
  'kH7#pq2LzW',
  'mellow tangerine fog',
  'приятный-вечер-вдвоём',
  'ladder.otter.prism',
  'sunflower dragon',
  'schatzkarte im sommerregen',
  'premium-tangerine',
])('taken: %s', (password) => {
  expect(isGuessable(password)).toBe(false);
});

test('none of the 3,000 most frequent passwords of eight or more characters is taken, in any spelling', () => {
  const frequent = dictionary['passwords-common'].filter((password) => password.length >= 8).slice(0, 3000);
  expect(frequent).toHaveLength(3000);
  const spellings = frequent.map((password, index) => (index % 2 === 0 ? password : password.toUpperCase()));
  expect(spellings.filter((password) => !isGuessable(password))).toEqual([]);
});

test('a long password is judged by its first 64 characters', () => {
  expect(isGuessable('kH7#pq2LzW'.padEnd(256, 'a'))).toBe(false);
  expect(isGuessable(`${'a'.repeat(63)}kH7#pq2LzW`)).toBe(true);
  expect(isGuessable(`${'a'.repeat(54)}kH7#pq2LzW`)).toBe(false);
});

test('the empty text and one character are easy to guess', () => {
  expect([isGuessable(''), isGuessable('x')]).toEqual([true, true]);
});
