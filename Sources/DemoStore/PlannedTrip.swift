/// A trip of the story, with its accommodation and its bucket list.
struct PlannedTrip: Sendable {
  let name: String
  let destination: String
  /// Days from the story's end to the trip.
  let startsIn: Int
  let dayCount: Int
  let stay: (placeName: String, address: String)
  let items: [(title: String, details: String)]

  init(
    _ name: String, in destination: String, startsIn: Int, days dayCount: Int,
    stay: (placeName: String, address: String),
    _ items: [(title: String, details: String)]
  ) {
    self.name = name
    self.destination = destination
    self.startsIn = startsIn
    self.dayCount = dayCount
    self.stay = stay
    self.items = items
  }
}

extension PlannedTrip {
  /// The trips, in the order in which they are added.
  static let all: [PlannedTrip] = [
    PlannedTrip(
      "Temples and Tea", in: "Kyoto", startsIn: 130, days: 9,
      stay: ("Ryokan Hoshi", "18 Ishibe Lane, Kyoto"),
      [
        ("Fushimi Inari at dawn", "before the crowds, bring a lamp"),
        ("Tea ceremony", "ask for the morning group"),
        ("Bamboo grove", "early, or after rain"),
        ("Nishiki market", "pickles, knives, matcha"),
        ("Philosopher's Path", "cherry trees, if we are lucky"),
        ("Day trip to Nara", "deer, and the great hall"),
      ]),
    PlannedTrip(
      "Long weekend", in: "Hamburg", startsIn: 12, days: 3,
      stay: ("Hotel Speicherwinkel", "Brook 7, Hamburg"),
      [
        ("Model railway", "book the time slot"),
        ("Harbour by boat", "the small one, through the canals"),
        ("Concert hall", "Plaza tickets are free"),
        ("Fish market", "Sunday, five in the morning"),
        ("Planten un Blomen", "water lights at night"),
      ]),
    PlannedTrip(
      "Fjords", in: "Bergen", startsIn: 201, days: 8,
      stay: ("Sjøhuset", "Strandkaien 4, Bergen"),
      [
        ("Fløibanen", "walk down again"),
        ("Boat to Mostraumen", "three hours, take a coat"),
        ("Troldhaugen", "lunchtime concert"),
        ("Flåm railway", "seats on the left"),
        ("Fish soup", "the kiosk behind the market"),
        ("Kayaks", "half a day, dry suits included"),
      ]),
    PlannedTrip(
      "Museums", in: "Madrid", startsIn: 45, days: 4,
      stay: ("Casa Lavapiés", "Calle del Sombrerete 11, Madrid"),
      [
        ("Prado", "evenings are free"),
        ("Reina Sofía", "closed on Tuesdays"),
        ("Churros", "after midnight"),
        ("Retiro, rowing", "bring small change"),
        ("Toledo by train", "half an hour"),
      ]),
    PlannedTrip(
      "Two capitals", in: "Vienna", startsIn: 66, days: 6,
      stay: ("Pension Elfriede", "Lindengasse 30, Vienna"),
      [
        ("Opera, standing room", "queue from five"),
        ("Café Sperl", "newspapers on sticks"),
        ("Boat to Bratislava", "75 minutes down the Danube"),
        ("Zentralfriedhof", "tram 71"),
        ("Wine taverns", "Stammersdorf, not Grinzing"),
      ]),
    PlannedTrip(
      "Atlantic islands", in: "São Miguel", startsIn: 158, days: 10,
      stay: ("Quinta da Lagoa", "Rua do Poço 2, Furnas"),
      [
        ("Whale watching", "May is best"),
        ("Sete Cidades", "only if the cloud lifts"),
        ("Tea plantation", "Gorreana, tours at ten"),
        ("Hot springs", "dark swimwear"),
        ("Cozido das Furnas", "order a day ahead"),
        ("Ilhéu de Vila Franca", "boats from June"),
      ]),
    PlannedTrip(
      "Company offsite", in: "Lisbon", startsIn: 31, days: 5,
      stay: ("Hotel Miradouro", "Calçada da Graça 41, Lisbon"),
      [
        ("Tram 28", "board at the terminus"),
        ("LX Factory", "bookshop, then lunch"),
        ("Team dinner", "twelve people, one vegan"),
        ("Sintra", "first train"),
        ("Surf lesson", "Carcavelos, 14:00"),
      ]),
    PlannedTrip(
      "Skiing with Jo", in: "Zermatt", startsIn: 80, days: 7,
      stay: ("Chalet Gornera", "Wiestistrasse 9, Zermatt"),
      [
        ("Ski passes", "the seven-day one"),
        ("Guide for the glacier", "Jo asks around"),
        ("Fondue", "Tuesday"),
        ("Sledging at night", "Rotenboden, full moon"),
        ("Rest day", "baths in Leukerbad"),
      ]),
    PlannedTrip(
      "Grandma's 90th", in: "Århus", startsIn: 24, days: 3,
      stay: ("Villa Provence", "Fredens Torv 12, Århus"),
      [
        ("Speech", "five minutes, no more"),
        ("Photo album", "print by the 10th"),
        ("Rainbow panorama", "ARoS, for the children"),
        ("Old Town", "the 1970s street"),
        ("Cake for forty", "order from Emmerys"),
      ]),
    PlannedTrip(
      "Desert and sea", in: "Muscat", startsIn: 95, days: 11,
      stay: ("Mutrah Guesthouse", "Corniche 3, Muscat"),
      [
        ("Grand Mosque", "before eleven, cover arms"),
        ("Wahiba Sands", "one night, not two"),
        ("Turtles at Ras al-Jinz", "permits needed"),
        ("Wadi Shab", "waterproof bag"),
        ("Mutrah souq", "frankincense"),
        ("Dhow at sunset", "cash only"),
      ]),
    PlannedTrip(
      "City of books", in: "Edinburgh", startsIn: 260, days: 5,
      stay: ("Canongate Rooms", "8 Old Tolbooth Wynd, Edinburgh"),
      [
        ("Book festival", "programme comes in June"),
        ("Arthur's Seat", "sunrise"),
        ("Writers' Museum", "Lady Stair's Close"),
        ("Portobello beach", "ice cream"),
        ("Whisky tasting", "the small group"),
      ]),
    PlannedTrip(
      "Cherry on the Rhine", in: "Bonn", startsIn: 140, days: 2,
      stay: ("Gästehaus Altstadt", "Heerstraße 60, Bonn"),
      [
        ("Heerstraße in blossom", "the second week of April"),
        ("Beethoven's birthplace", "small, an hour"),
        ("Drachenfels", "up by rack railway"),
        ("Flea market", "Rheinaue, third Saturday"),
        ("Dinner with Lena", "she brings the map"),
      ]),
    PlannedTrip(
      "Night train north", in: "Stockholm", startsIn: 52, days: 6,
      stay: ("Af Söder", "Katarinavägen 22, Stockholm"),
      [
        ("Sleeper from Berlin", "lower berths"),
        ("Vasa", "guided tour in English"),
        ("Archipelago ferry", "Vaxholm and back"),
        ("Skating on Nybroviken", "if it freezes"),
        ("Saluhall lunch", "Östermalm"),
      ]),
    PlannedTrip(
      "Olive harvest", in: "Kalamata", startsIn: 340, days: 9,
      stay: ("Eleni's house", "Verga 5, Kalamata"),
      [
        ("Help with the nets", "old clothes"),
        ("Oil press", "at night, it runs until two"),
        ("Mystras", "bring water"),
        ("Kardamyli", "swim at the pebble beach"),
        ("Ferry to Kythira", "twice a week"),
      ]),
  ]
}
