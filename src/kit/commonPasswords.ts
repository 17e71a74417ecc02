/**
 * The words in most passwords, from lists of leaked passwords. With the digits and signs that people add, they cover
 * tens of thousands of passwords.
 */
const words = new Set(
  `
  myspace you me my the is big one man boy girl
  password passwort passwords pass passwd passcode parola senha haslo contrasena motdepasse wachtwoord lozinka sifre
  admin administrator root user username guest login logon master manager office system server oracle cisco default
  changeme changethis temp temporary test testing tester welcome hello letmein openup secret secure security private
  access account internet computer laptop desktop keyboard monitor windows microsoft apple macintosh samsung android
  google facebook twitter instagram youtube linkedin yahoo hotmail gmail amazon netflix nintendo playstation xbox
  qwerty qwertz azerty qwert qwer asdf asdfgh asdfghjk asdfghjkl zxcvbn zxcvbnm zxcvb zxcv qwertyui qwertyuiop
  qazwsx qazwsxedc wsxedc edcrfv poiuyt lkjhgf mnbvcx mnbvcxz dvorak abc abcd abcde abcdef abcdefg
  iloveyou iloveu loveyou loveme ilovegod lovelove lover lovers lovely love forever together sweetheart darling honey
  babygirl babyboy baby angel angels princess prince queen king sunshine sunflower sunset flower flowers rainbow
  butterfly beautiful pretty gorgeous cutie sweetie sweet sugar candy chocolate cookie cupcake cherry strawberry
  monkey dragon tiger lion panther leopard jaguar eagle falcon hawk phoenix wolf wolves bear bulldog puppy doggie
  kitten kitty cat dog horse horses pony dolphin dolphins shark turtle elephant penguin spider snake scorpion rabbit
  football baseball basketball soccer hockey volleyball softball tennis golf golfer golfing cricket rugby boxing
  wrestling skater surfing fishing hunting hunter swimming runner running sports champion champions winner winners
  liverpool arsenal chelsea manchester united barcelona realmadrid juventus milan inter ajax celtic rangers everton
  tottenham yankees redsox cubs dodgers giants cowboys steelers packers raiders eagles patriots broncos vikings
  lakers bulls celtics warriors spurs heat knicks maradona pele messi ronaldo cristiano neymar zidane beckham jordan
  superman batman spiderman ironman wolverine hulk captain avengers thor joker starwars skywalker vader darthvader
  yoda jedi startrek matrix terminator gandalf frodo hobbit harrypotter hogwarts voldemort pokemon pikachu naruto
  sasuke goku dragonball zelda mario luigi sonic minecraft fortnite warcraft worldofwarcraft starcraft counterstrike
  callofduty halo doom quake simpsons homer bart garfield snoopy scooby mickey minnie donald tinkerbell cinderella
  metallica slipknot nirvana greenday blink182 eminem beatles ledzeppelin pinkfloyd acdc ironmaiden korn linkinpark
  madonna britney shakira rihanna beyonce elvis music musica guitar piano drummer dancer dancing singer rockstar
  rocknroll hiphop reggae techno trustno trustme whatever nothing something anything everything nobody somebody
  freedom liberty peace justice hope faith believe trust grace glory heaven blessed blessing jesus jesuschrist christ
  god godislove mygod church bible angelic spirit soul destiny dream dreamer dreams magic magical mystery legend
  hero heroes warrior knight ninja samurai pirate viking soldier sniper killer hitman gangster outlaw rebel
  thunder lightning storm hurricane tornado blizzard winter summer spring autumn january february march april
  may june july august september october november december monday tuesday wednesday thursday friday saturday sunday
  morning midnight tonight yesterday today tomorrow sunny snowball snowman snow rain cloud star stars starlight
  moon moonlight galaxy universe planet earth mars jupiter saturn venus apollo nasa rocket
  red blue green yellow orange purple black white silver golden gold diamond crystal ruby emerald
  money dollar million millionaire billion business rich success lucky luckyone fortune casino poker jackpot
  mercedes porsche ferrari lamborghini corvette mustang camaro chevrolet chevy toyota honda nissan yamaha suzuki
  kawasaki harley harleydavidson ducati bmw audi volkswagen jetta subaru mazda dodge charger jeep truck racing racer
  london paris newyork chicago boston dallas houston texas florida california america american canada england
  scotland ireland france germany espana italia brasil brazil mexico argentina portugal russia poland polska turkey
  istanbul india pakistan china japan tokyo australia sydney africa jamaica hawaii vegas lasvegas phoenix denver
  michael jennifer jessica michelle ashley amanda daniel matthew andrew joshua christopher nicholas anthony joseph
  william david robert richard thomas charles charlie george patrick steven stephen brandon justin jonathan benjamin
  samantha elizabeth nicole stephanie melissa danielle rebecca rachel lauren megan hannah victoria natalie natasha
  alexander alexandra alexis andrea angela angelina anna antonio barbara bianca brian brittany carlos carolina
  caroline catherine christian christina christine claudia cristina daniela diana dominic edward eduardo emily
  emma eric ernesto fernando francesco francis frank gabriel gabriela giovanni giuseppe gregory heather isabella
  jackson jacob james jasmine jason javier jeremy john johnny jordan jose josephine juan julia julian karen katherine
  kelly kenneth kevin kimberly laura leonardo linda lisa lorenzo lucas luis madison manuel marcus margaret maria
  marina mario marlboro martin martina mary mason maverick maxwell mercedes miguel monica morgan nathan oliver olivia
  pamela patricia paul peter philip phillip ricardo roberto rodrigo ronald russell sabrina salvador samuel sandra
  sarah scott sebastian sergio sophia sophie susan taylor teresa theresa tiffany timothy travis tyler valentina
  valentin vanessa veronica vincent virginia walter xavier yolanda zachary
  asshole bitch bullshit fuck fucker fuckyou fuckme fuckoff motherfucker shit pussy sexy sexygirl penis bigdick
  biteme cocacola pepsi coffee pizza cheese chicken bacon banana apples cheeseburger hamburger beer budweiser
  corona heineken vodka whiskey tequila marijuana ganja smoke smokey stoner
  mother father mommy daddy mummy family sister brother friend friends bestfriend buddy grandma grandpa children
  teacher student school college university doctor nurse police fireman engineer lawyer pilot captain sergeant
  army marines navy airforce military soldier colonel general president
  chris alex andy bobby danny eddie freddy jack jake jimmy joey kenny larry mandy max mike nick rocky sam sammy
  scooter shadow shannon shelby snickers sparky spike tigger tinker toby tommy tucker wizard yankee zombie zxcasd
  flower1 access14 ranger buster pepper ginger cookie hammer hardcore intruder leather merlin muffin mustang orange
  maggie bailey lovely peanut phantom player please prelude rabbit rangers redskins samson scorpio silver slayer
  speedy stupid surfer swordfish sydney therock thx1138 thomas trinity trouble viper voyager wildcat willow xxxxxx
  computer1 explorer enterprise einstein experience fantasy firebird foxtrot gateway genesis goldfish goodluck
  hellokitty highland imagine infinity inferno invisible jamesbond jellybean kingkong ladybug lollipop lovebug
  mountain nightmare november paradise passion peaches pumpkin raistlin remember revolution sailing shithead
  snowflake spongebob stardust sunflower supergirl superstar teddybear tequila thailand titanic topgun undertaker
  vampire velvet victory voodoo warhammer waterfall wonderful woodland yellowstone
  paywall subscription subscribe subscriber abonnement member members membership premium customer merchant media news
  video audio podcast magazine reader viewer
  hallo hola bonjour salut ciao merhaba privet zdravo servus moin amor amore tequiero teamo teamomucho miamor jetaime
  monamour ichliebedich schatz schatzi liebling kochanie kocham askim seniseviyorum lyubov geheim geheimnis kennwort
  clave heslo salasana losenord kodeord familia famille familie sommer herbst sonne sonnenschein fussball futbol calcio
  futebol schalke dortmund bayern werder atletico benfica sporting flamengo palmeiras corinthians galatasaray
  fenerbahce besiktas estrella princesa princesse prinzessin mariposa gatito perrito papillon doudou loulou chouchou
  mausi hasi katze bella tesoro stella polska kasia zuzia kotek misiek
  alejandro alejandra guadalupe mariana fernanda sebastian stefan andreas markus susanne katharina johannes tobias
  florian lukas hannah muller mueller schmidt francois camille nicolas julien mathieu marseille giulia francesca chiara
  matteo alessandro alessia mehmet mustafa ahmet fatma svetlana tatiana dmitri sergey vladimir katarzyna agnieszka
  karolina mateusz bartek
`
    .trim()
    .split(/\s+/),
);

/** Rows of keyboards, digits and letters. A run along one of them, in either direction, is easy to guess. */
const rows = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  "qwertyuiop[]asdfghjkl;'zxcvbnm,./",
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik',
  '1q2w3e4r5t6y7u8i9o0p',
  'qazwsxedcrfvtgbyhnujm',
  'zaq1xsw2cde3vfr4bgt5nhy6mju7',
  '!@#$%^&*()',
];
const reversed = (text: string) => [...text].reverse().join('');
const runs = rows.flatMap((row) => [row, reversed(row)]);
const shortestRun = 4;

const lookalikes: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** True for a password that attackers try first. */
export function isCommonPassword(password: string): boolean {
  const text = password.normalize('NFKC').toLowerCase();
  return isDecoratedWord(text) || isRepetition(text) || isMadeOfRuns(text) || isDate(text);
}

/** One or two words with at most six digits or signs on each side. */
function isDecoratedWord(text: string): boolean {
  for (let before = 0; before <= 6 && isDecoration(text.slice(0, before)); before += 1)
    for (let after = 0; after <= 6 && isDecoration(text.slice(text.length - after)); after += 1) {
      const core = text.slice(before, text.length - after);
      if (isWordOrTwo(core) || isWordOrTwo(plainSpelling(core))) return true;
    }
  return false;
}

function isDecoration(text: string): boolean {
  return /^[^\p{L}]*$/u.test(text);
}

/** The text without accents. Signs that look like letters become those letters. */
function plainSpelling(text: string): string {
  const letters = text.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss');
  return letters.replaceAll(/[013457@$!]/g, (sign) => lookalikes[sign] ?? sign);
}

/** Two different long words make a passphrase. A short word, or the same word again, adds nothing. */
function isWordOrTwo(text: string): boolean {
  if (words.has(text)) return true;
  for (let end = 2; end <= text.length - 2; end += 1) {
    const [first, second] = [text.slice(0, end), text.slice(end)];
    const isShort = first === second || Math.min(first.length, second.length) <= 4;
    if (isShort && words.has(first) && words.has(second)) return true;
  }
  return false;
}

/** `aaaaaaaa`, `12121212`, `abcabcabc`, `1111111a`. */
function isRepetition(text: string): boolean {
  return /^(.{1,4}?)\1+.{0,3}$/su.test(text) && new Set(text).size <= 4;
}

/** `12345678`, `asdf1234`, `aa123456`, `11223344`, `a1b2c3d4`. */
function isMadeOfRuns(text: string): boolean {
  const everySecond = [0, 1].map((rest) => [...text].filter((_sign, index) => index % 2 === rest).join(''));
  return isChain(text) || isChain(text.replaceAll(/(.)\1/gs, '$1')) || everySecond.every(isRun);
}

/** Runs without a gap between them, with at most two other characters before or after. */
function isChain(text: string): boolean {
  return [0, 1, 2].some((start) => {
    let rest = text.slice(start);
    for (let run = runLength(rest); run >= shortestRun; run = runLength(rest)) rest = rest.slice(run);
    return rest.length <= 2 && start + rest.length < text.length / 2;
  });
}

function isRun(text: string): boolean {
  return text.length >= shortestRun && runLength(text) === text.length;
}

function runLength(text: string): number {
  let length = Math.min(text.length, 1);
  while (length < text.length && runs.some((run) => run.includes(text.slice(0, length + 1)))) length += 1;
  return length;
}

/** A birthday: `19840512`, `12.05.1984`, `05-12-1984`. */
function isDate(text: string): boolean {
  return /^((19|20)\d\d[-./]?[01]\d[-./]?[0-3]\d|[0-3]?\d[-./]?[0-3]?\d[-./]?(19|20)\d\d)$/.test(text);
}
