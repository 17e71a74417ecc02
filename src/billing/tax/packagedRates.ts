/**
 * The packaged table: country, region, kind, first day, percent. The rates of member states are those of the European
 * Commission's database of taxes in Europe, the others those of the tax authorities. An absent kind has the standard
 * rate. The rate of a province with a tax of its own, such as Quebec, is that of both taxes.
 */
export const packagedRates = `
# European Union
AT standard 2000-01-01 20
AT ebook 2020-01-01 10
AT press 2020-01-01 10
BE standard 2000-01-01 21
BE ebook 2019-04-01 6
BE press 2019-04-01 6
BG standard 2000-01-01 20
BG ebook 2022-07-01 9
BG press 2023-01-01 9
CY standard 2014-01-13 19
CY ebook 2023-07-21 3
CY press 2023-07-21 3
CZ standard 2013-01-01 21
CZ ebook 2024-01-01 0
CZ press 2024-01-01 12
DE standard 2007-01-01 19
DE standard 2020-07-01 16
DE standard 2021-01-01 19
DE ebook 2019-12-18 7
DE ebook 2020-07-01 5
DE ebook 2021-01-01 7
DE press 2019-12-18 7
DE press 2020-07-01 5
DE press 2021-01-01 7
DK standard 2000-01-01 25
DK press 2019-07-01 0
EE standard 2009-07-01 20
EE standard 2024-01-01 22
EE standard 2025-07-01 24
EE ebook 2020-05-01 9
EE press 2025-01-01 9
ES standard 2012-09-01 21
ES ebook 2020-04-23 4
ES press 2020-04-23 4
FI standard 2013-01-01 24
FI standard 2024-09-01 25.5
FI ebook 2019-07-01 10
FI ebook 2025-01-01 14
FI ebook 2026-01-01 13.5
FI press 2019-07-01 10
FI press 2026-01-01 10
FR standard 2014-01-01 20
FR ebook 2012-01-01 5.5
FR press 2014-02-01 2.1
GR standard 2016-06-01 24
GR ebook 2020-01-01 6
GR press 2020-01-01 6
HR standard 2012-03-01 25
HR ebook 2019-01-01 5
HR press 2022-10-01 5
HU standard 2012-01-01 27
IE standard 2012-01-01 23
IE standard 2020-09-01 21
IE standard 2021-03-01 23
IE ebook 2019-01-01 9
IE ebook 2024-01-01 0
IE press 2019-01-01 9
IE press 2023-01-01 0
IT standard 2013-10-01 22
IT ebook 2015-01-01 4
IT press 2016-01-01 4
LT standard 2009-09-01 21
LT ebook 2023-01-01 9
LT ebook 2026-01-01 5
LU standard 2015-01-01 17
LU standard 2023-01-01 16
LU standard 2024-01-01 17
LU ebook 2019-05-01 3
LU press 2019-05-01 3
LV standard 2012-07-01 21
LV ebook 2022-01-01 5
LV press 2022-01-01 5
MT standard 2004-01-01 18
MT ebook 2019-01-01 5
MT press 2019-01-01 5
NL standard 2012-10-01 21
NL ebook 2020-01-01 9
NL press 2020-01-01 9
PL standard 2011-01-01 23
PL ebook 2019-11-01 5
PL press 2019-11-01 8
PT standard 2011-01-01 23
PT ebook 2020-01-01 6
PT press 2020-01-01 6
PT PT-20 standard 2021-07-01 16
PT PT-20 ebook 2021-07-01 4
PT PT-20 press 2021-07-01 4
PT PT-30 standard 2012-04-01 22
PT PT-30 ebook 2020-01-01 5
PT PT-30 ebook 2024-10-01 4
PT PT-30 press 2020-01-01 5
PT PT-30 press 2024-10-01 4
RO standard 2017-01-01 19
RO standard 2025-08-01 21
RO ebook 2022-01-01 5
RO ebook 2025-08-01 11
RO press 2022-01-01 5
RO press 2025-08-01 11
SE standard 2000-01-01 25
SE ebook 2019-07-01 6
SE press 2019-07-01 6
SI standard 2013-07-01 22
SI ebook 2020-01-01 5
SI press 2020-01-01 5
SK standard 2011-01-01 20
SK standard 2025-01-01 23
SK ebook 2025-01-01 5
# Other countries
AE standard 2018-01-01 5
AU standard 2000-07-01 10
CA standard 2008-01-01 5
CA CA-NB standard 2016-07-01 15
CA CA-NL standard 2016-07-01 15
CA CA-NS standard 2010-07-01 15
CA CA-NS standard 2025-04-01 14
CA CA-ON standard 2010-07-01 13
CA CA-PE standard 2016-10-01 15
CA CA-QC standard 2013-01-01 14.975
CH standard 2018-01-01 7.7
CH standard 2024-01-01 8.1
CH ebook 2018-01-01 2.5
CH ebook 2024-01-01 2.6
CH press 2018-01-01 2.5
CH press 2024-01-01 2.6
GB standard 2011-01-04 20
GB ebook 2020-05-01 0
GB press 2020-05-01 0
IS standard 2015-01-01 24
IS ebook 2018-07-01 11
IS press 2018-07-01 11
JP standard 2019-10-01 10
KR standard 2015-07-01 10
LI standard 2018-01-01 7.7
LI standard 2024-01-01 8.1
LI ebook 2018-01-01 2.5
LI ebook 2024-01-01 2.6
LI press 2018-01-01 2.5
LI press 2024-01-01 2.6
NO standard 2005-01-01 25
NO ebook 2019-07-01 0
NO press 2016-03-01 0
NZ standard 2016-10-01 15
RS standard 2012-10-01 20
SA standard 2020-07-01 15
SG standard 2020-01-01 7
SG standard 2023-01-01 8
SG standard 2024-01-01 9
TR standard 2018-01-01 18
TR standard 2023-07-10 20
UA standard 2022-01-01 20
ZA standard 2018-04-01 15
`;
