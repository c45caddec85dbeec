/** One title as everybody may know it: facts, no text of the work. */
export interface ClassicTitle {
  readonly title: string;
  readonly year: number;
  readonly maker: string;
  readonly form: 'Book' | 'Film';
  readonly genres: readonly string[];
}

/**
 * Books and films that nobody owns any more (published before 1930, or never renewed in the United States):
 * title, year, author or director, genres. The best known of each list come first, which is how often people
 * of the sample pick them.
 */
const books = `
Pride and Prejudice|1813|Jane Austen|Romance,Society
Dracula|1897|Bram Stoker|Horror
Alice’s Adventures in Wonderland|1865|Lewis Carroll|Children,Fantasy
The Adventures of Sherlock Holmes|1892|Arthur Conan Doyle|Mystery
Frankenstein|1818|Mary Shelley|Horror,Science fiction
The Great Gatsby|1925|F. Scott Fitzgerald|Society
Treasure Island|1883|Robert Louis Stevenson|Adventure,Children
The Time Machine|1895|H. G. Wells|Science fiction
Crime and Punishment|1866|Fyodor Dostoevsky|Crime,Drama
The Three Musketeers|1844|Alexandre Dumas|Adventure,History
A Christmas Carol|1843|Charles Dickens|Children,Fantasy
The Picture of Dorian Gray|1890|Oscar Wilde|Horror,Society
The War of the Worlds|1898|H. G. Wells|Science fiction
Jane Eyre|1847|Charlotte Brontë|Romance,Drama
Twenty Thousand Leagues Under the Seas|1870|Jules Verne|Science fiction,Adventure
The Hound of the Baskervilles|1902|Arthur Conan Doyle|Mystery,Horror
Moby-Dick|1851|Herman Melville|Adventure,Drama
War and Peace|1869|Leo Tolstoy|History,Drama
Peter Pan|1911|J. M. Barrie|Children,Fantasy
Strange Case of Dr Jekyll and Mr Hyde|1886|Robert Louis Stevenson|Horror,Mystery
Wuthering Heights|1847|Emily Brontë|Romance,Drama
Don Quixote|1605|Miguel de Cervantes|Comedy,Adventure
The Wonderful Wizard of Oz|1900|L. Frank Baum|Children,Fantasy
Around the World in Eighty Days|1873|Jules Verne|Adventure
Emma|1815|Jane Austen|Romance,Comedy
The Count of Monte Cristo|1846|Alexandre Dumas|Adventure,History
The Metamorphosis|1915|Franz Kafka|Drama,Fantasy
Anna Karenina|1878|Leo Tolstoy|Romance,Drama
The Jungle Book|1894|Rudyard Kipling|Children,Adventure
The Importance of Being Earnest|1895|Oscar Wilde|Comedy,Society
The Invisible Man|1897|H. G. Wells|Science fiction,Horror
The Mysterious Affair at Styles|1920|Agatha Christie|Mystery
Sense and Sensibility|1811|Jane Austen|Romance,Society
Adventures of Huckleberry Finn|1884|Mark Twain|Adventure,Comedy
The Brothers Karamazov|1880|Fyodor Dostoevsky|Drama,Crime
Little Women|1868|Louisa May Alcott|Children,Romance
Journey to the Centre of the Earth|1864|Jules Verne|Science fiction,Adventure
The Call of the Wild|1903|Jack London|Adventure
Les Misérables|1862|Victor Hugo|History,Drama
The Legend of Sleepy Hollow|1820|Washington Irving|Horror
The Wind in the Willows|1908|Kenneth Grahame|Children,Fantasy
Great Expectations|1861|Charles Dickens|Drama,Society
The Murder of Roger Ackroyd|1926|Agatha Christie|Mystery
The Call of Cthulhu|1928|H. P. Lovecraft|Horror
All Quiet on the Western Front|1929|Erich Maria Remarque|War,Drama
The Adventures of Tom Sawyer|1876|Mark Twain|Adventure,Children
The Trial|1925|Franz Kafka|Drama
The Scarlet Pimpernel|1905|Baroness Orczy|Adventure,Romance
The Island of Doctor Moreau|1896|H. G. Wells|Science fiction,Horror
The Phantom of the Opera|1910|Gaston Leroux|Horror,Romance
Persuasion|1817|Jane Austen|Romance,Society
The Sign of the Four|1890|Arthur Conan Doyle|Mystery
Gulliver’s Travels|1726|Jonathan Swift|Adventure,Comedy
The Turn of the Screw|1898|Henry James|Horror
Three Men in a Boat|1889|Jerome K. Jerome|Comedy
Robinson Crusoe|1719|Daniel Defoe|Adventure
Madame Bovary|1857|Gustave Flaubert|Drama,Society
Grimms’ Fairy Tales|1812|Jacob and Wilhelm Grimm|Children,Fantasy
A Study in Scarlet|1887|Arthur Conan Doyle|Mystery
The Hunchback of Notre-Dame|1831|Victor Hugo|History,Romance
The Secret Garden|1911|Frances Hodgson Burnett|Children
Heart of Darkness|1899|Joseph Conrad|Adventure,Drama
The Age of Innocence|1920|Edith Wharton|Romance,Society
The Lost World|1912|Arthur Conan Doyle|Science fiction,Adventure
Carmilla|1872|Sheridan Le Fanu|Horror
Ivanhoe|1819|Walter Scott|History,Adventure
Mrs Dalloway|1925|Virginia Woolf|Society,Drama
Anne of Green Gables|1908|L. M. Montgomery|Children
The Inimitable Jeeves|1923|P. G. Wodehouse|Comedy,Society
We|1924|Yevgeny Zamyatin|Science fiction
The Moonstone|1868|Wilkie Collins|Mystery
A Tale of Two Cities|1859|Charles Dickens|History,Drama
White Fang|1906|Jack London|Adventure
The Idiot|1869|Fyodor Dostoevsky|Drama
Northanger Abbey|1817|Jane Austen|Romance,Comedy
The Fall of the House of Usher|1839|Edgar Allan Poe|Horror
The Murders in the Rue Morgue|1841|Edgar Allan Poe|Mystery,Horror
Candide|1759|Voltaire|Comedy
Pinocchio|1883|Carlo Collodi|Children,Fantasy
The Red Badge of Courage|1895|Stephen Crane|War,History
The Woman in White|1860|Wilkie Collins|Mystery
A Room with a View|1908|E. M. Forster|Romance,Society
The Mysterious Island|1875|Jules Verne|Science fiction,Adventure
King Solomon’s Mines|1885|H. Rider Haggard|Adventure
The Man in the Iron Mask|1850|Alexandre Dumas|Adventure,History
The Yellow Wallpaper|1892|Charlotte Perkins Gilman|Horror,Drama
The Innocence of Father Brown|1911|G. K. Chesterton|Mystery
Through the Looking-Glass|1871|Lewis Carroll|Children,Fantasy
Tess of the d’Urbervilles|1891|Thomas Hardy|Romance,Drama
The Sun Also Rises|1926|Ernest Hemingway|Drama,Society
A Farewell to Arms|1929|Ernest Hemingway|War,Romance
Oliver Twist|1838|Charles Dickens|Drama,Crime
A Princess of Mars|1912|Edgar Rice Burroughs|Science fiction,Adventure
Tarzan of the Apes|1912|Edgar Rice Burroughs|Adventure
The Thirty-Nine Steps|1915|John Buchan|Crime,Adventure
An Ideal Husband|1895|Oscar Wilde|Comedy,Society
Fathers and Sons|1862|Ivan Turgenev|Drama,Society
Mansfield Park|1814|Jane Austen|Romance,Society
Notes from Underground|1864|Fyodor Dostoevsky|Drama
Vanity Fair|1848|William Makepeace Thackeray|Society,Comedy
Middlemarch|1871|George Eliot|Society,Drama
The Tale of Peter Rabbit|1902|Beatrix Potter|Children
The First Men in the Moon|1901|H. G. Wells|Science fiction
From the Earth to the Moon|1865|Jules Verne|Science fiction
The Colour Out of Space|1927|H. P. Lovecraft|Horror,Science fiction
The King in Yellow|1895|Robert W. Chambers|Horror
The Monkey’s Paw|1902|W. W. Jacobs|Horror
The Great God Pan|1894|Arthur Machen|Horror
The Castle of Otranto|1764|Horace Walpole|Horror
The Monk|1796|Matthew Lewis|Horror
The Willows|1907|Algernon Blackwood|Horror
The Lodger|1913|Marie Belloc Lowndes|Crime,Horror
The Secret Adversary|1922|Agatha Christie|Mystery,Adventure
The Murder on the Links|1923|Agatha Christie|Mystery
The Return of Sherlock Holmes|1905|Arthur Conan Doyle|Mystery
The Valley of Fear|1915|Arthur Conan Doyle|Mystery
Whose Body?|1923|Dorothy L. Sayers|Mystery
Clouds of Witness|1926|Dorothy L. Sayers|Mystery
The Mystery of the Yellow Room|1907|Gaston Leroux|Mystery
Trent’s Last Case|1913|E. C. Bentley|Mystery
Red Harvest|1929|Dashiell Hammett|Crime
Little Caesar|1929|W. R. Burnett|Crime
The Four Just Men|1905|Edgar Wallace|Crime
Raffles|1899|E. W. Hornung|Crime,Comedy
Arsène Lupin, Gentleman Burglar|1907|Maurice Leblanc|Crime,Mystery
The Man Who Was Thursday|1908|G. K. Chesterton|Mystery,Comedy
The Secret Agent|1907|Joseph Conrad|Crime,Drama
R.U.R.|1920|Karel Čapek|Science fiction
Flatland|1884|Edwin A. Abbott|Science fiction
Looking Backward|1888|Edward Bellamy|Science fiction
The Machine Stops|1909|E. M. Forster|Science fiction
The Food of the Gods|1904|H. G. Wells|Science fiction
The Skylark of Space|1928|E. E. Smith|Science fiction
The War in the Air|1908|H. G. Wells|Science fiction,War
Armageddon 2419 A.D.|1928|Philip Francis Nowlan|Science fiction
The Moon Pool|1919|A. Merritt|Science fiction,Fantasy
She|1887|H. Rider Haggard|Adventure,Fantasy
Kidnapped|1886|Robert Louis Stevenson|Adventure,History
Captain Blood|1922|Rafael Sabatini|Adventure,History
Scaramouche|1921|Rafael Sabatini|Adventure,History
The Prisoner of Zenda|1894|Anthony Hope|Adventure,Romance
The Sea-Wolf|1904|Jack London|Adventure,Drama
Lord Jim|1900|Joseph Conrad|Adventure,Drama
Kim|1901|Rudyard Kipling|Adventure
The Swiss Family Robinson|1812|Johann David Wyss|Adventure,Children
Beau Geste|1924|P. C. Wren|Adventure,War
The Last of the Mohicans|1826|James Fenimore Cooper|Adventure,History
Ben-Hur|1880|Lew Wallace|History,Adventure
Quo Vadis|1896|Henryk Sienkiewicz|History,Romance
The Last Days of Pompeii|1834|Edward Bulwer-Lytton|History
Salammbô|1862|Gustave Flaubert|History
The Betrothed|1827|Alessandro Manzoni|History,Romance
Waverley|1814|Walter Scott|History
Toilers of the Sea|1866|Victor Hugo|History,Adventure
Ninety-Three|1874|Victor Hugo|History,War
The Charterhouse of Parma|1839|Stendhal|History,Romance
Hadji Murat|1912|Leo Tolstoy|History,War
The Good Soldier Švejk|1923|Jaroslav Hašek|War,Comedy
Under Fire|1916|Henri Barbusse|War
Storm of Steel|1920|Ernst Jünger|War
Parade’s End|1928|Ford Madox Ford|War,Society
Sevastopol Sketches|1855|Leo Tolstoy|War
The Princess and the Goblin|1872|George MacDonald|Children,Fantasy
Andersen’s Fairy Tales|1835|Hans Christian Andersen|Children,Fantasy
Five Children and It|1902|E. Nesbit|Children,Fantasy
The Railway Children|1906|E. Nesbit|Children
A Little Princess|1905|Frances Hodgson Burnett|Children
Heidi|1881|Johanna Spyri|Children
Black Beauty|1877|Anna Sewell|Children
Winnie-the-Pooh|1926|A. A. Milne|Children
The House at Pooh Corner|1928|A. A. Milne|Children
Bambi|1923|Felix Salten|Children
The Velveteen Rabbit|1922|Margery Williams|Children
Just So Stories|1902|Rudyard Kipling|Children
Phantastes|1858|George MacDonald|Fantasy
The King of Elfland’s Daughter|1924|Lord Dunsany|Fantasy
The Worm Ouroboros|1922|E. R. Eddison|Fantasy
Lud-in-the-Mist|1926|Hope Mirrlees|Fantasy
The Well at the World’s End|1896|William Morris|Fantasy
Jurgen|1919|James Branch Cabell|Fantasy,Comedy
Le Morte d’Arthur|1485|Thomas Malory|Fantasy,History
One Thousand and One Nights|1704|Antoine Galland|Fantasy,Adventure
A Midsummer Night’s Dream|1600|William Shakespeare|Fantasy,Comedy
Macbeth|1606|William Shakespeare|Drama,History
Hamlet|1601|William Shakespeare|Drama,Crime
Romeo and Juliet|1597|William Shakespeare|Romance,Drama
Much Ado About Nothing|1599|William Shakespeare|Comedy,Romance
The Death of Ivan Ilyich|1886|Leo Tolstoy|Drama
The Cherry Orchard|1904|Anton Chekhov|Drama,Society
Uncle Vanya|1897|Anton Chekhov|Drama
A Doll’s House|1879|Henrik Ibsen|Drama,Society
Dead Souls|1842|Nikolai Gogol|Comedy,Society
The Overcoat|1842|Nikolai Gogol|Drama,Comedy
Hunger|1890|Knut Hamsun|Drama
Buddenbrooks|1901|Thomas Mann|Drama,Society
The Magic Mountain|1924|Thomas Mann|Drama
Steppenwolf|1927|Hermann Hesse|Drama
Siddhartha|1922|Hermann Hesse|Drama
The Castle|1926|Franz Kafka|Drama
Ulysses|1922|James Joyce|Drama,Comedy
Dubliners|1914|James Joyce|Drama,Society
To the Lighthouse|1927|Virginia Woolf|Drama,Society
Orlando|1928|Virginia Woolf|Fantasy,Society
Swann’s Way|1913|Marcel Proust|Society,Drama
Germinal|1885|Émile Zola|Drama,Society
Father Goriot|1835|Honoré de Balzac|Society,Drama
The Portrait of a Lady|1881|Henry James|Society,Romance
The House of Mirth|1905|Edith Wharton|Society,Romance
Ethan Frome|1911|Edith Wharton|Romance,Drama
Howards End|1910|E. M. Forster|Society
A Passage to India|1924|E. M. Forster|Society,Drama
Far from the Madding Crowd|1874|Thomas Hardy|Romance
North and South|1854|Elizabeth Gaskell|Romance,Society
Cranford|1853|Elizabeth Gaskell|Society,Comedy
The Tenant of Wildfell Hall|1848|Anne Brontë|Romance,Drama
Villette|1853|Charlotte Brontë|Romance,Drama
Evelina|1778|Fanny Burney|Romance,Comedy
Lady Susan|1871|Jane Austen|Comedy,Society
The Enchanted April|1922|Elizabeth von Arnim|Romance,Comedy
The Blue Castle|1926|L. M. Montgomery|Romance
The Diary of a Nobody|1892|George and Weedon Grossmith|Comedy
My Man Jeeves|1919|P. G. Wodehouse|Comedy
Leave It to Psmith|1923|P. G. Wodehouse|Comedy
The Pickwick Papers|1837|Charles Dickens|Comedy
A Connecticut Yankee in King Arthur’s Court|1889|Mark Twain|Comedy,Fantasy
Tristram Shandy|1767|Laurence Sterne|Comedy
Zuleika Dobson|1911|Max Beerbohm|Comedy
Crome Yellow|1921|Aldous Huxley|Comedy,Society
Decline and Fall|1928|Evelyn Waugh|Comedy,Society
Gentlemen Prefer Blondes|1925|Anita Loos|Comedy
`;

const films = `
Nosferatu|1922|F. W. Murnau|Horror
Metropolis|1927|Fritz Lang|Science fiction,Drama
The General|1926|Buster Keaton|Comedy,War
The Gold Rush|1925|Charlie Chaplin|Comedy
Night of the Living Dead|1968|George A. Romero|Horror
A Trip to the Moon|1902|Georges Méliès|Science fiction,Fantasy
Charade|1963|Stanley Donen|Mystery,Romance
His Girl Friday|1940|Howard Hawks|Comedy,Romance
The Cabinet of Dr. Caligari|1920|Robert Wiene|Horror
Battleship Potemkin|1925|Sergei Eisenstein|War,History
The Kid|1921|Charlie Chaplin|Comedy,Drama
Sherlock Jr.|1924|Buster Keaton|Comedy,Mystery
Sunrise|1927|F. W. Murnau|Romance,Drama
The Passion of Joan of Arc|1928|Carl Theodor Dreyer|History,Drama
Safety Last!|1923|Fred C. Newmeyer|Comedy
The Phantom of the Opera|1925|Rupert Julian|Horror,Romance
Wings|1927|William A. Wellman|War,Romance
Detour|1945|Edgar G. Ulmer|Crime
The Stranger|1946|Orson Welles|Crime,Mystery
D.O.A.|1950|Rudolph Maté|Crime,Mystery
My Man Godfrey|1936|Gregory La Cava|Comedy,Romance
Meet John Doe|1941|Frank Capra|Drama,Comedy
The Little Shop of Horrors|1960|Roger Corman|Comedy,Horror
House on Haunted Hill|1959|William Castle|Horror
Carnival of Souls|1962|Herk Harvey|Horror
The Last Man on Earth|1964|Ubaldo Ragona|Horror,Science fiction
White Zombie|1932|Victor Halperin|Horror
Scarlet Street|1945|Fritz Lang|Crime,Drama
The Hitch-Hiker|1953|Ida Lupino|Crime
Kansas City Confidential|1952|Phil Karlson|Crime
The Strange Love of Martha Ivers|1946|Lewis Milestone|Crime,Drama
Impact|1949|Arthur Lubin|Crime
Suddenly|1954|Lewis Allen|Crime
Quicksand|1950|Irving Pichel|Crime
The Big Combo|1955|Joseph H. Lewis|Crime
He Walked by Night|1948|Alfred L. Werker|Crime
Too Late for Tears|1949|Byron Haskin|Crime
A Star Is Born|1937|William A. Wellman|Romance,Drama
Nothing Sacred|1937|William A. Wellman|Comedy,Romance
A Farewell to Arms|1932|Frank Borzage|War,Romance
Royal Wedding|1951|Stanley Donen|Comedy,Romance
The Snows of Kilimanjaro|1952|Henry King|Romance,Adventure
Angel and the Badman|1947|James Edward Grant|Western,Romance
McLintock!|1963|Andrew V. McLaglen|Western,Comedy
One-Eyed Jacks|1961|Marlon Brando|Western
The Great Train Robbery|1903|Edwin S. Porter|Western,Crime
The Iron Horse|1924|John Ford|Western,History
Tumbleweeds|1925|King Baggot|Western
3 Bad Men|1926|John Ford|Western
The Wind|1928|Victor Sjöström|Western,Drama
Riders of Destiny|1933|Robert N. Bradbury|Western
The Virginian|1929|Victor Fleming|Western
Rage at Dawn|1955|Tim Whelan|Western
Vengeance Valley|1951|Richard Thorpe|Western
The Thief of Bagdad|1924|Raoul Walsh|Fantasy,Adventure
The Mark of Zorro|1920|Fred Niblo|Adventure
Robin Hood|1922|Allan Dwan|Adventure,History
The Black Pirate|1926|Albert Parker|Adventure
The Adventures of Prince Achmed|1926|Lotte Reiniger|Fantasy,Children
The Lost World|1925|Harry O. Hoyt|Science fiction,Adventure
Aelita|1924|Yakov Protazanov|Science fiction
Woman in the Moon|1929|Fritz Lang|Science fiction
The Brain That Wouldn’t Die|1962|Joseph Green|Science fiction,Horror
Teenagers from Outer Space|1959|Tom Graeff|Science fiction
The Giant Gila Monster|1959|Ray Kellogg|Science fiction,Horror
Gulliver’s Travels|1939|Dave Fleischer|Children,Fantasy
Steamboat Willie|1928|Walt Disney|Children,Comedy
The Skeleton Dance|1929|Walt Disney|Children,Horror
Faust|1926|F. W. Murnau|Fantasy,Horror
The Golem|1920|Paul Wegener|Horror,Fantasy
Häxan|1922|Benjamin Christensen|Horror,History
The Hunchback of Notre Dame|1923|Wallace Worsley|History,Drama
The Man Who Laughs|1928|Paul Leni|Drama,Horror
The Cat and the Canary|1927|Paul Leni|Horror,Mystery
The Bat|1959|Crane Wilbur|Mystery,Horror
The Lodger|1927|Alfred Hitchcock|Crime,Mystery
Blackmail|1929|Alfred Hitchcock|Crime
Underworld|1927|Josef von Sternberg|Crime
Dr. Mabuse the Gambler|1922|Fritz Lang|Crime,Mystery
Steamboat Bill, Jr.|1928|Charles Reisner|Comedy
The Navigator|1924|Buster Keaton|Comedy,Adventure
Our Hospitality|1923|Buster Keaton|Comedy
Seven Chances|1925|Buster Keaton|Comedy,Romance
The Freshman|1925|Fred C. Newmeyer|Comedy
Girl Shy|1924|Fred C. Newmeyer|Comedy,Romance
The Circus|1928|Charlie Chaplin|Comedy
It|1927|Clarence G. Badger|Romance,Comedy
7th Heaven|1927|Frank Borzage|Romance,War
The Sheik|1921|George Melford|Romance,Adventure
The Big Parade|1925|King Vidor|War,Romance
Four Sons|1928|John Ford|War,Drama
J’accuse|1919|Abel Gance|War,Drama
Arsenal|1929|Alexander Dovzhenko|War,History
October|1928|Sergei Eisenstein|History,War
Napoléon|1927|Abel Gance|History,War
Intolerance|1916|D. W. Griffith|History,Drama
Cabiria|1914|Giovanni Pastrone|History,Adventure
Ben-Hur: A Tale of the Christ|1925|Fred Niblo|History,Adventure
The King of Kings|1927|Cecil B. DeMille|History
The Last Laugh|1924|F. W. Murnau|Drama
Greed|1924|Erich von Stroheim|Drama
The Crowd|1928|King Vidor|Drama,Romance
Pandora’s Box|1929|G. W. Pabst|Drama,Society
The Wedding March|1928|Erich von Stroheim|Romance,Society
Lady Windermere’s Fan|1925|Ernst Lubitsch|Comedy,Society
Man with a Movie Camera|1929|Dziga Vertov|Documentary
Nanook of the North|1922|Robert J. Flaherty|Documentary,Adventure
Berlin: Symphony of a Great City|1927|Walter Ruttmann|Documentary
Grass|1925|Merian C. Cooper|Documentary,Adventure
Chang|1927|Merian C. Cooper|Documentary,Adventure
South|1919|Frank Hurley|Documentary,Adventure
`;

const read = (lines: string, form: ClassicTitle['form']): ClassicTitle[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [title, year, maker, genres] = line.split('|');
      return { title, year: Number(year), maker, form, genres: genres.split(',') };
    });

/** All of them, two books and a film in turn, so that a short catalogue has both. */
export const classicTitles: readonly ClassicTitle[] = inTurn(read(books, 'Book'), read(films, 'Film'));

function inTurn(two: readonly ClassicTitle[], one: readonly ClassicTitle[]): ClassicTitle[] {
  const most = Math.max(Math.ceil(two.length / 2), one.length);
  return Array.from({ length: most }, (_, k) => [
    ...two.slice(2 * k, 2 * k + 2),
    ...one.slice(k, k + 1),
  ]).flat();
}
