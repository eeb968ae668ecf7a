/** The people this organisation has worked with. Only searches by a person's manager find that person. */
export const staff = [
  {
    name: "Dana Kim",
    role: "chef de partie",
    emailAddress: "dana.kim@example.com",
    manager: "hana@harbour-hotels.example",
    ratings: [{ rating: 5, ratingProvider: "Harbour Kitchen", lastWorked: "2025-11-30T17:00:00Z" }],
  },
  {
    name: "Émile Dupont",
    role: "sous chef",
    emailAddress: "émile@küche.example",
    manager: "hana.lind@harbour-hotels.example",
    ratings: [
      { rating: 4, ratingProvider: "Harbour Kitchen", lastWorked: "2025-10-12T21:30:00Z" },
      { rating: 5, ratingProvider: "Harbour Events", lastWorked: "2025-12-31T23:00:00Z" },
    ],
  },
  {
    name: "Farah Aziz",
    role: "bar",
    emailAddress: "farah.aziz@example.com",
    manager: "hana@harbour-hotels.example",
    ratings: [],
  },
];
