"""Function words of the Snowball languages for which no Snowball list exists, in short lists.

Articles, pronouns, prepositions, conjunctions, auxiliary verbs, negations and question words; no
word that a document could be about. Languages that write such words in one script with marks and
without them are listed both ways.
"""

FUNCTION_WORDS = {
    "arabic": """
        من في على إلى الى عن مع هذا هذه ذلك تلك هؤلاء الذي التي الذين اللاتي هو هي هم
        هن أنا نحن أنت أنتم كان كانت كانوا يكون تكون ليس ليست لا لم لن ما ماذا متى أين
        كيف هل أن ان إن أو او أم ثم بل لكن حتى إذا اذا لو قد كل بعض غير بين بعد قبل
        عند منذ خلال حيث كما عليه عليها فيه فيها منه منها له لها لهم به بها إليه إليها
        أي وهو وهي ولا وفي ومن
    """,
    "armenian": """
        այդ այլ այն այս դու դուք եմ են ենք ես եք է էի էին էինք էիր էիք էր ըստ թե թեև ի
        ին իսկ իր կամ համար հետ հետո մենք մեջ մի և եւ նա նաև նրա նրանք որ որը որոնք
        որպես ու ում պիտի վրա
    """,
    "basque": """
        al anitz arabera asko baina bat batean batek bati batzuk batzuek bera beraiek
        berak beren bi da dago dira ditu du dute edo egin ere eta eurak ez gainera gu
        gutxi guzti haiei haiek hala hau hauek hemen hori horiek hura inork izan ni
        noiz nola non nor nori nork oso ze zein zen zenbait zer zergatik ziren zuen
        zuten zu zuek
    """,
    "catalan": """
        a al als amb aquell aquella aquelles aquells aquest aquesta aquestes aquests
        això allò com cada d de del dels des doncs el ella elles ells els en encara
        entre era eren es és està estan et ha han has he hem hi i jo l la les li ll lo
        em ens ets fins fou ho m me més meu meva mi molt ni no nosaltres nostre o on
        per perquè però pel pels qual quals quan que què qui s sa se sense ser ses seu
        seus seva si són sota sobre t també te teu teva tot tu un una unes uns us va
        van vosaltres vostre
    """,
    "czech": """
        a aby aj ale ani asi až bez bude budem budeme budeš budete budou budu by byl
        byla byli bylo byly být co což či do ho i já jak jako je jeho jej její jejich
        jemu jen ještě jestli již jsem jsi jsme jsou jste k kam kde kdo kdy když ke
        která které který kteří ku má mají mám máme mé mě mezi mi mít mně můj může my
        na nad nám námi nás náš naše ne nebo nejsou než není ní nich ním nimi o od on
        ona oni ono pak po pod podle pokud pro proč proto protože před přes při s se
        si sice své svůj ta tak také tato te tě ten tedy tento této tím tímto to toho
        tohoto tom tomto tomu tu tuto tvůj ty tyto u už v vám vámi vás váš vaše ve
        však všechen vy z za zda ze že
    """,
    "esperanto": """
        al ambaŭ ankaŭ antaŭ apud aŭ ĉar ĉe ĉi ĉiu ĉiuj ĉu da de dum ekster el en
        estas esti estis estos estus for ĝi ĝia ĝis ĝin ili ilia ilin inter ja jam je
        jen kaj ke kia kial kie kiel kio kion kiu kiuj kiun krom kun la laŭ li lia lin
        mi mia min na ne nek neniu ni nia nin nur ol per plej pli por post preter pri
        pro se sed sen si sia ŝi ŝia ŝin sin sub super sur tia tial tie tiel tio tiu
        tiuj tra trans tro unu via vi vin
    """,
    "estonian": """
        aga ei et ega ehk enne ilma ja jah ka kas kes kelle keda kogu kui kuid kuidas
        kus kuni kõik läbi ma me meie mida midagi mina mind minu mis mille mu mul
        mulle nad nagu need neid nende ning nii oled olen oleme olete oli olid olla
        olnud oma on ongi pole sa sealt seda see selle sellest selles siin siis sina
        sinu sest sind ta te teda tema temale teie vaid või üle ära
    """,
    "finnish": """
        ei eivät emme en et ette että he heidän heidät heille heissä heistä heitä hän
        hänelle hänen hänet häntä hänessä hänestä ja jonka joka jossa josta jota joita
        jotka jolla jolle joiden jos joten kanssa ketkä koska kuin kuka kun ken keneen
        me meidän meidät meille meitä minkä minun minut minua minulla minulle minä
        mihin mikä missä mistä mitä mitkä mukaan mutta myös ne niiden niin niissä
        niistä niitä niihin niille noin nuo näiden näissä näitä nämä ole olemme olen
        olet olette oli olimme olin olisi olisivat olit olitte olivat olla olleet
        ollut on ovat poikki se sekä sen siihen siinä siitä sille sinun sinut sinua
        sinulle sinä sitä tai tähän tämä tämän tässä tästä tätä te teidän teidät
        teille teitä tuo tuon tuossa vaan vai vaikka
    """,
    "greek": """
        ο η το οι τα του της των τον την τους τις στο στη στην στον στα στις στους
        ένας μια μία ένα και κι ή είτε αλλά όμως αν εάν ότι πως που ποιος ποια ποιο
        ποιοι τι πώς πού πότε γιατί όταν όπως όπου ενώ επειδή διότι για με σε από προς
        κατά μετά παρά αντί χωρίς μέχρι ως να θα δεν δε μη μην είμαι είσαι είναι
        είμαστε είστε ήταν ήμουν έχω έχεις έχει έχουμε έχετε έχουν είχε είχαν εγώ εσύ
        αυτός αυτή αυτό αυτοί αυτές αυτά αυτού αυτών εμείς εσείς μου σου μας σας
        εκείνος εκείνη εκείνο εκείνοι τούτος
    """,
    "hindi": """
        का की के को में से पर ने और या एवं तथा कि जो यह वह ये वे इस उस इन उन इसे उसे
        इसके उसके इसका उसका इसकी उसकी इनके उनके उनका उनकी अपना अपनी अपने मैं हम तुम आप
        मेरा हमारा है हैं हूँ हूं हो था थी थे होता होती होते हुआ हुई हुए होने कर करना
        करता करते करने किया किसी कोई कुछ क्या कौन कब कहाँ कहां कैसे क्यों जब तब जहाँ
        तक तो ही भी नहीं न मत लिए साथ द्वारा बाद पहले जैसे वाले वाली वाला एक गया गई गए
        रहा रही रहे सकता सकते सकती
    """,
    "hungarian": """
        a az egy és s is ha hogy nem ne de vagy mert mint meg már még csak pedig tehát
        ezért azonban ez ezt ezek ezen ennek ebben ebből erre azt azok azon annak
        abban abból arra aki akik amely amelyek amelyet ami amit amikor ahol ahogy mi
        ki kik mit mely milyen hol hogyan mikor miért én te ő ti ők őt engem minket
        önt önök van vannak volt voltak voltam lesz lesznek lenne lehet legyen vagyok
        vagyunk nincs nincsenek el fel fog ide oda között szerint után alatt által át
        majd mind minden sem se
    """,
    "indonesian": """
        ada adalah agar akan aku anda apa apakah atau bagi bagaimana bahwa beberapa
        belum bila bukan dalam dan dapat dari daripada dengan di dia harus hanya
        hingga ia ialah ini itu jika juga kalau kami kamu kapan karena ke kepada
        ketika kita maka mana masih mengapa mereka namun nya oleh pada para saat saja
        sambil sampai saya sebagai sebelum sebuah sedang sehingga sejak seorang
        seperti serta sesudah setelah setiap siapa suatu sudah supaya tanpa telah
        tentang tetapi tiap tidak untuk yaitu yang
    """,
    "irish": """
        a ach ag agus an ann aon ar as b ba bhur bí bhí cá cad cé chuig chun ciad
        conas d dá de den dhá do don dtí é féin faoi faoin fé go gur i iad iadsan idir
        in ina insan is le leis lena lenár má mar mé mo mura na nach ná ní níl nó nár
        ó os roimh sa san sé sí sibh siad sinn seo sin tá tar thar thú trí tríd tú um
    """,
    "lithuanian": """
        aš ar arba be bei bet buvo buvau bus būti čia dar dėl ir į iš iki jei jeigu ji
        jie jis jo jos jų ją jį jog juos jums jus jūs kad kada kai kaip kas kiek
        kiekvienas kodėl kol ko kuri kurie kurios kuris kurį kurių kur ką kam man mane
        mano mes mums mus ne nei nėra nes nors nuo o pagal po per pas prie prieš su
        savo ta tada tai taip taigi tarp tas tau tave tavo ten ties to toks tokia tos
        tu tuo už yra šis ši šie šios šį šio šią esu esi esame
    """,
    "nepali": """
        र वा तर कि भने पनि नै त अनि यो त्यो यी ती यस त्यस यसको त्यसको उसको उनको उनी ऊ
        म हामी तिमी तपाईं तपाई मेरो हाम्रो तिम्रो आफ्नो को का की ले लाई मा बाट देखि
        सम्म सँग संग लागि द्वारा छ छन् छैन हो होइन थियो थिए हुन् हुन हुने हुन्छ भयो
        भएको भएका गरेको गरी गर्न गर्ने जो जुन जब जहाँ के कुन कहाँ कहिले कसरी किन कति न
        नि सबै केही कुनै एक
    """,
    "persian": """
        و در به از که این آن را با برای تا بر یا هم نیز اما ولی اگر چون زیرا پس بلکه
        است هست هستند بود بودند باشد باشند شد شده شود می نمی ما من تو او شما آنها
        ایشان آنان خود چه چرا کجا کی چگونه کدام هر همه هیچ یک دو نه نیست بین پیش بعد
        قبل روی زیر دارد دارند داشت کرد کرده کند کنند خواهد های ها ای اند ام
    """,
    "polish": """
        a aby ale albo ani aż bardziej bez bo by być był była było były będzie będą
        bym byśmy ci cię co czy czyli dla do gdy gdzie go i ich ile im ja ją jak jaka
        jaki jakie jako je jeden jednak jego jej jemu jest jestem jeszcze jeśli jeżeli
        już kiedy kto która które którego której który których którym którzy ku lecz
        lub ma mają mi mnie moja moje może mój mu my na nad nam nami nas nasz nasza
        nasze nawet nią nich nie niej niego nim nimi niż o od ona one oni ono oraz po
        pod poza ponieważ przed przez przy są się siebie swoje także tam ta tak te
        tego tej ten tę to tobie toteż tu tutaj twoja twoje twój ty tych tylko tym u w
        was wasz we wam więc wszystko wy z za ze że żeby
    """,
    "romanian": """
        a acea aceasta această aceea acei aceia acel acela acele acelea acest acesta
        aceste acestea acești aceștia ai al ale am ar are aș așa asupra ați au avea
        avem aveți că când care cărei căror cărui cât câte câți ce cea cei cel cele
        celor ci cine cu cum da dacă dar de deci deși despre din dintr dintre doar
        după ea ei el ele era eram este eu fără fi fie fiecare fost i ia iar îi îl îmi
        în înainte încă între își îți la le li lor lui mă mai mea mei mele meu mi mie
        ne nici niște noastră noastre noi noștri nostru nu o ori orice pe pentru peste
        prin pînă până sa să sale sau săi său se și sînt sub sunt suntem sunteți ta
        tale tăi tău te ți ție toată toate tot toți tu un una unde unei unele unor
        unui va vă voastră voastre voi vor vostru
    """,
    "serbian": """
        a ako ali bez bi bih bila bile bili bilo bio bismo biste biti bude budu da do
        duž ga gde gdje i iako ih ili im iz ja je jedan jer jesam jesi jesmo jest
        jeste jesu joj još ju kad kada kako kao ko koja koje koji kojima koju kroz li
        me mene meni mi mnom moj moja moje mu na nad nakon nam nama nas naš naša naše
        ne nego neka neki nekog neku netko ni nije nisam nisi nismo niste nisu njega
        njegov njemu njih njihov njim njima njoj njom od on ona oni ono ova ove ovo o
        oko po pod pored pre prije prema s sa sam samo se sebe si smo ste su sva sve
        svi svog svoj svoja svoje ta tada taj tako te tebe tebi ti to toj tome tu tvoj
        tvoja tvoje u uz vam vama vas vaš vaša vaše već vi za zar zato će ćemo ćete
        ćeš ću što šta а ако али без би бих била биле били било био бисмо бисте бити
        буде буду да до дуж га где гдје и иако их или им из ја је један јер јесам јеси
        јесмо јест јесте јесу јој још ју кад када како као ко која које који којима
        коју кроз ли ме мене мени ми мном мој моја моје му на над након нам нама нас
        наш наша наше не него нека неки неког неку нетко ни није нисам ниси нисмо
        нисте нису њега његов њему њих њихов њим њима њој њом од он она они оно ова
        ове ово о око по под поред пре прије према с са сам само се себе си смо сте су
        сва све сви свог свој своја своје та тада тај тако те тебе теби ти то тој томе
        ту твој твоја твоје у уз вам вама вас ваш ваша ваше већ ви за зар зато ће ћемо
        ћете ћеш ћу што шта
    """,
    "sesotho": """
        a ba bane bona di e ea eaba ee eena empa ena eng feela fihlela ha hae haholo
        hape hla ho hobane hona hore ja joale joang jwale jwalo jwang ka kae kapa ke
        kwana la le leha li lona ma mang me mme mo mona moo na ne nna ntse o oa pele
        rona re sa se tla tloha tsa tse tseo tsena wa wena ya yena
    """,
    "tamil": """
        ஒரு ஓர் என்று மற்றும் இந்த அந்த எந்த இது அது எது இவை அவை இவர் அவர் அவள் அவன்
        அவர்கள் இவர்கள் நான் நாம் நாங்கள் நீ நீங்கள் தான் தன் தனது தங்கள் என் உன்
        எனக்கு உனக்கு அவரது என என்ற என்பது என்பதை என்றும் எனவும் எனும் என்னும் எனினும்
        எனவே ஆனால் அல்லது ஆகும் ஆகிய ஆகியோர் உள்ள உள்ளது உள்ளன இருந்து இருந்த இருந்தது
        இருக்கும் கொண்டு கொண்ட போன்ற போல போது பிறகு பின்னர் பின் முன் வரை மீது மேல்
        மேலும் பற்றி பற்றிய இதன் அதன் இதை அதை இதில் அதில் இதனால் அதனால் இங்கு அங்கு
        இங்கே அங்கே எங்கே என்ன ஏன் எப்படி எப்போது யார் எல்லாம் மட்டும் மட்டுமே மிக
        மிகவும் தவிர விட இல்லை இன்னும் இப்போது வேண்டும் வந்து
    """,
    "yiddish": """
        דער די דאס דאָס דעם א אַ אן אַן און אדער אָדער אבער אָבער נאר נאָר אויב ווייל
        ווײַל אז אַז אויך אין אויף פון פֿון פאר פֿאַר צו מיט ביי בײַ נאך נאָך פֿאר
        אונטער איבער צווישן קיין פארן איז זענען זײַנען זיינען בין ביסט זיין זײַן
        געווען האט האָט האבן האָבן האב האָב וועט וועלן איך דו ער זי עס מיר איר זיי מיך
        דיך אים זיך אונדז אייך מיין דיין אונדזער ניט נישט וואס וואָס ווער ווי ווען
        וואו ווו פארוואס פֿאַרוואָס דא דאָ דארט דאָרט יענער יעדער אלע אַלע
    """,
}
