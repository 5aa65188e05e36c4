import OpenSwiftData

/// The models of a real app whose store Apple's SwiftData wrote, as its store describes them.
enum CocktailApp {
  static let models: [any PersistentModel.Type] = [
    Cocktail.self, Garnish.self, Ingredient.self, IngredientBase.self,
  ]

  @Model
  final class Cocktail {
    #Index<Cocktail>([\.cocktailName], [\.collectionName], [\.cocktailName, \.collectionName])

    var id: UUID = UUID()
    @Attribute(.unique) var cocktailName: String
    var author: Author?
    var buildOrder: Build?
    var collection: Collection?
    var collectionName: String
    var compiledTags: Tags = Tags()
    var favorite: Bool
    @Relationship(deleteRule: .nullify) var garnish: [Garnish]
    var glasswareType: Glassware
    var historicSpec: Historic?
    var ice: Ice?
    var isCustomCocktail: Bool
    var notes: String?
    @Relationship(deleteRule: .cascade) var spec: [Ingredient]
    var titleCocktail: Bool?
    var variation: Variation?
    var variationName: String?

    init(cocktailName: String, glasswareType: Glassware) {
      self.cocktailName = cocktailName
      self.glasswareType = glasswareType
      collectionName = ""
      favorite = false
      garnish = []
      isCustomCocktail = true
      spec = []
    }
  }

  @Model
  final class Garnish {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Cocktail.garnish) var cocktails: [Cocktail]?

    init(name: String) { self.name = name }
  }

  @Model
  final class Ingredient {
    var id: UUID
    var ingredientBase: IngredientBase
    var value: Double
    var unit: Unit

    init(ingredientBase: IngredientBase, value: Double, unit: Unit) {
      id = UUID()
      self.ingredientBase = ingredientBase
      self.value = value
      self.unit = unit
    }
  }

  @Model
  final class IngredientBase {
    var id: UUID
    @Attribute(.unique) var name: String
    var baseCategory: String
    var info: String?
    var isCustom: Bool = false
    var prep: Prep?
    var specialtyCategory: String
    var tags: Tags?
    var umbrellaCategory: String

    init(name: String) {
      id = UUID()
      self.name = name
      baseCategory = ""
      specialtyCategory = ""
      umbrellaCategory = ""
    }
  }

  struct Author: Codable, Equatable {
    var id: UUID
    var person: String?
    var place: String?
    var year: String?
  }

  struct Build: Codable, Equatable { var instructions: [Instruction] }

  struct Instruction: Codable, Equatable {
    var id: UUID
    var step: Int
    var method: String
  }

  struct Prep: Codable, Equatable {
    var id: UUID
    var prepIngredientName: String
    var prepRecipe: [Instruction]
  }

  struct Tags: Codable, Equatable {
    var flavors: [String]?
    var profiles: [String]?
    var styles: [String]?
    var booze: [Spirit]?
    var nA: [Spirit]?
  }

  struct Spirit: Codable, Equatable {
    var name: String
    var ingredientType: [String: [String: String]]
  }

  enum Historic: Codable {
    case algonquin, alaska, betweenTheSheets, bloodAndSand, bramble, bobbyBurns, chocolateCocktail
    case elDiablo, fogCutter, ginFizz, gimlet, silverFizz, hotToddy, mexicanFiringSquad
    case modernCocktail
  }

  enum Collection: Int, Codable {
    case first = 1
    case second, third, fourth, fifth, sixth
  }

  enum Ice: String, Codable {
    case columnIce = "Column ice"
    case crackedKoldDraft = "Cracked Kold Draft"
    case koldDraftIce = "Kold Draft ice"
    case largeCube = "Large cube"
    case pebbleIce = "Pebble ice"
  }

  enum Unit: String, Codable {
    case none = ""
    case barSpoon = "bar-spoon"
    case dash
    case drop
    case gentlyMuddled = "gently muddled"
    case muddled
    case nitroMuddled = "nitro muddled"
    case oz
    case pinch
    case sliceOf = "slice of"
    case splashOf = "splash of"
    case spray
    case tbsp
    case tsp
    case whole
  }

  enum Glassware: String, Codable {
    case birdShapedTikiGlass = "Bird Shaped Tiki Glass"
    case blueBlazerMugs = "Blue Blazer Mugs"
    case chilled8OzFizzGlass = "Chilled 8 oz. Fizz Glass"
    case cinnamonSugarRimmedCocktailGlass = "Cinnamon Sugar Rimmed Cocktail Glass"
    case collins = "Collins"
    case copperMuleCup = "Copper Mule Cup"
    case coupe = "Coupe"
    case coupeWithASaltedRim = "Coupe with a salted rim"
    case doubleOldFashioned = "Double Old Fashioned"
    case doubleOldFashionedHalfAsparagusSaltRim = "Double Old Fashioned (half asparagus salt rim)"
    case doubleOldFashionedHalfCelerySaltRim = "Double Old Fashioned (half celery salt rim)"
    case doubleOldFashionedHalfSaltRim = "Double Old Fashioned (half salt rim)"
    case doubleOldFashionedHalfSmokedSaltRim = "Double Old Fashioned (half smoked salt rim)"
    case flute = "Flute"
    case frozenSingleOldFashioned = "Frozen Single Old Fashioned"
    case hurricaneGlass = "Hurricane Glass"
    case irishCoffeeGlass180ml = "Irish Coffee Glass (180ml)"
    case julepCup = "Julep Cup"
    case largeWineGlass = "Large Wine Glass"
    case martini = "Martini"
    case milkshakeGlass = "Milkshake Glass"
    case nickAndNora = "Nick and Nora"
    case ornateTeaCup = "Ornate Tea Cup"
    case snifterFlipGlass = "Snifter (Flip Glass)"
    case stemmed = "Stemmed"
    case stemmedWithAHalfSugarRim = "Stemmed with a half sugar rim"
    case tikiMug = "Tiki Mug"
    case toddyGlass = "Toddy Glass"
  }

  enum Variation: String, Codable {
    case airMail = "Air Mail"
    case alaskaCocktail = "Alaska Cocktail"
    case alexanderCocktail = "Alexander Cocktail"
    case algonquin = "Algonquin"
    case amarettoSour = "Amaretto Sour"
    case americano = "Americano"
    case appleJackCocktail = "Apple Jack Cocktail"
    case bamboo = "Bamboo"
    case beesKnees = "Bees Knees"
    case betweenTheSheets = "Between the Sheets"
    case bijou = "Bijou"
    case bloodSand = "Blood & Sand"
    case bloodyMary = "Bloody Mary"
    case bobbyBurns = "Bobby Burns"
    case boulevardier = "Boulevardier"
    case bramble = "Bramble"
    case brandyCrusta = "Brandy Crusta"
    case brooklyn = "Brooklyn"
    case brownDerby = "Brown Derby"
    case cableCar = "Cable Car"
    case chocolateCocktail = "Chocolate Cocktail"
    case cloverClub = "Clover Club"
    case corpseReviverNo2 = "Corpse Reviver No.2"
    case daiquiri = "Daiquiri"
    case eastSide = "East Side"
    case elDiablo = "El Diablo"
    case elPresidente = "El Presidente"
    case elkSOwnCocktail = "Elk's Own Cocktail"
    case espressoMartini = "Espresso Martini"
    case fairAndWarmer = "Fair and Warmer"
    case fancyFree = "Fancy Free"
    case fogCutter = "Fog Cutter"
    case french75 = "French 75"
    case gimlet = "Gimlet"
    case ginFizz = "Gin Fizz"
    case grasshopper = "Grasshopper"
    case greenpoint = "Greenpoint"
    case hankyPanky = "Hanky Panky"
    case harveyWallbanger = "Harvey Wallbanger"
    case hemingwayDaiquiri = "Hemingway Daiquiri"
    case hollandHouse = "Holland House"
    case homeOnTheRange = "Home on the Range"
    case honeymoonCocktail = "Honeymoon Cocktail"
    case hotToddy = "Hot Toddy"
    case hotelNacional = "Hotel Nacional"
    case hurricane = "Hurricane"
    case irishCoffee = "Irish Coffee"
    case japaneseCocktail = "Japanese Cocktail"
    case jungleBird = "Jungle Bird"
    case kentuckyMaid = "Kentucky Maid"
    case kirRoyale = "Kir Royale"
    case laLouisiane = "La Louisiane"
    case lastWord = "Last Word"
    case lemonDrop = "Lemon Drop"
    case maiTai = "Mai Tai"
    case majorBailey = "Major Bailey"
    case manhattan = "Manhattan"
    case margarita = "Margarita"
    case martinez = "Martinez"
    case martini = "Martini"
    case mexicanFiringSquad = "Mexican Firing Squad"
    case mintJulep = "Mint Julep"
    case modernCocktail = "Modern Cocktail"
    case mojito = "Mojito"
    case morningGloryFizz = "Morning Glory Fizz"
    case newYorkSour = "New York Sour"
    case oaxacaOldFashioned = "Oaxaca Old Fashioned"
    case oldCuban = "Old Cuban"
    case oldFashioned = "Old Fashioned"
    case oldPal = "Old Pal"
    case painKiller = "Pain Killer"
    case peguClubCocktail = "Pegu Club Cocktail"
    case penicillin = "Penicillin"
    case pimsCup = "Pims Cup"
    case piscoSour = "Pisco Sour"
    case pinaColada = "Piña Colada"
    case princeEdward = "Prince Edward"
    case queensParkSwizzle = "Queens Park Swizzle"
    case rememberTheMaine = "Remember the Maine"
    case rustyNail = "Rusty Nail"
    case saturn = "Saturn"
    case sazerac = "Sazerac"
    case scofflaw = "Scofflaw"
    case sherryCobbler = "Sherry Cobbler"
    case sidecar = "Sidecar"
    case silverGinFizz = "Silver Gin Fizz"
    case singaporeSling = "Singapore Sling"
    case sloeGinFizz = "Sloe Gin Fizz"
    case southSide = "South Side"
    case tiPunch = "Ti Punch"
    case tipperary = "Tipperary"
    case tomCollins = "Tom Collins"
    case ultimaPalabra = "Ultima Palabra"
    case vesper = "Vesper"
    case whiskeySour = "Whiskey Sour"
    case zombie = "Zombie"
  }
}
