//! Names that one knows by sight: of people and of places. Data only.

use rustc_hash::FxHashSet;
use std::sync::LazyLock;

const PEOPLE: &str = "aaron abdul abigail ada adam adrian agnes ahmed aiko aisha alan albert alejandro alessandro alex alexander alexandra alexei \
    alfred ali alice alicia alina alison amal amanda amara amelia amina amir amy ana anders andre andrea andreas andrew andrzej \
    angela anika anita anja anna anne annika anouk anthony anton antonio anya arjun arne arthur astrid aurelie ayse barbara bart \
    bastian beata beatrice ben benedikt benjamin bernd beth bettina bianca bilal birgit bjorn bob boris brian bruno camila camille \
    carl carla carlos carmen carol caroline catherine cecilia celine chen chiara chloe chris christian christina christine christoph \
    claire clara claudia clemens colin cristina dagmar daniel daniela daria dave david dawid deepak denise dennis devraj diana diego \
    dieter dmitri dominik dora dorothea duncan edith eduardo edward elena eleni elias elif elisa elizabeth ella ellen elsa emil \
    emily emma emre enrique eric erik esra esther ethan eva evelyn fabian fatima felipe felix fernando finn fiona florian francesca \
    francois franz fred frederik frida friederike gabriel gabriela georg george gerd gerhard gina giovanni giulia greg gregor greta \
    guido gustav hanna hannah hannes hans harald harry hassan heidi heike helen helena helga henrik henry hiro hugo ian ibrahim ida \
    igor ilse imran ines ingrid irene irina isabel isabella ivan jack jakob jakub james jan jana jane janine jasmin jason javier \
    jean jens jessica jin joan joanna joao joe johan johanna john jonas jonathan jorge jose josef julia julian juliane julien jun \
    jurgen kai karen karim karin karl karolina kasia katarina kate katharina katrin keiko keith kemal ken kenji kerstin kevin khalid \
    kim kirsten klara klaus konrad kristina kumar kurt lars laura leah lee lena leo leon leonie leyla liam liang linda lisa liu \
    louis louise luca lucas lucia lucy luis luka lukas maja malik mara marc marcel marco marcus maren margaret maria marie marina \
    mario marit marko markus marta martin martina mary mateo mathieu matteo matthew matthias maya mehmet mei melanie michael michal \
    michelle miguel mika mike mikkel mila milan mina ming mira miriam mohamed mohammed moritz murat nadia nadja naomi natalia \
    natalie nathan neil nico nicolas nicole nikolai nils nina nisha noah noemi nora norbert olaf oleg olga oliver olivia omar oscar \
    oskar otto pablo paolo patricia patrick paul paula paulo pavel pedro peter petra philip philipp pia pierre piotr priya rachel \
    rafael raj rajesh ralf ramon raul ravi rebecca renata rene ricardo richard rita robert roberto robin rolf roman ruben ruth ryan \
    sabine sabrina sam samira samuel sandra sanjay santiago sara sarah sasha sebastian selin selma sergei shreya silke silvia simon \
    simone sofia sofie sonia sonja stefan stefanie stephan stephanie steve steven sunil susan susanne sven svenja tamara tanja tara \
    tariq tatiana thea theresa thomas thorsten tim timo tina tobias tom tomas tomasz toni torben ulrich ulrike ursula uwe valentina \
    valeria vera veronica victor victoria vikram viktor vincent walter wei werner wiebke wilhelm william wim wolfgang xavier xin yan \
    yang yara yasmin ying yuki yusuf yves yvonne zara zeynep zhang zoe zofia";

const PLACES: &str = "africa america amsterdam antwerp apac argentina asia athens atlanta austin australia austria bangalore barcelona basel bavaria \
    beijing belgium belgrade benelux berlin bern bilbao birmingham bogota bonn boston bratislava brazil bremen brisbane bristol \
    brussels bucharest budapest bulgaria calgary california canada cardiff chicago chile china cologne colombia copenhagen croatia \
    czechia dach dallas delhi denmark denver detroit dresden dubai dublin dusseldorf edinburgh egypt emea england essen estonia eu \
    europe finland florence france frankfurt geneva genoa germany ghent glasgow gothenburg graz greece grenoble hamburg hannover \
    hanover helsinki houston hungary hyderabad iberia iceland india indonesia ireland israel istanbul italy jakarta japan kenya kiev \
    krakow kyiv latam latvia leeds leipzig lille lima lisbon lithuania liverpool ljubljana london luxembourg lyon madrid malaga \
    malaysia malmo manchester manila mannheim marseille melbourne mexico miami milan minsk montreal moscow mumbai munich nairobi \
    nantes naples netherlands nordics norway nuremberg ohio oregon oslo ottawa oxford palermo paris perth peru philippines poland \
    porto portugal prague quebec riga romania rome rotterdam russia salzburg scotland seattle seoul serbia seville shanghai \
    singapore slovakia slovenia sofia spain stockholm stuttgart sweden switzerland sydney taipei taiwan tallinn texas thailand tokyo \
    toronto toulouse tunisia turin turkey uk ukraine us usa utrecht valencia vancouver venice vienna vietnam vilnius virginia wales \
    warsaw zagreb zurich";

static KNOWN_PEOPLE: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| PEOPLE.split_whitespace().collect());
static KNOWN_PLACES: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| PLACES.split_whitespace().collect());

pub fn is_person(low: &str) -> bool {
    KNOWN_PEOPLE.contains(low)
}

pub fn is_place(low: &str) -> bool {
    KNOWN_PLACES.contains(low)
}
